// Call sequences: which st.param and ld.param belong to which argument of which call.
#include <gtest/gtest.h>

#include "ptx_text.h"

namespace minitorch::ptx {
namespace {

using PK = Instruction::ParameterKind;

const std::string kCallee =
    ".func (.param .b64 r) f(.param .b32 a, .param .b64 b) {\n"
    ".reg .b64 %x; ld.param.b64 %x, [b]; st.param.b64 [r], %x; ret; }\n";

TEST(Calls, ArgumentsAndReturnsFindTheirSlots) {
  const auto module = decode_kernel(
      "{ .param .b32 q; .param .b64 w; .param .b64 back;\n"
      "st.param.b32 [q], %r1; st.param.b32 [w+4], %r2;\n"
      "call.uni (back), f, (q, w); ld.param.b64 %rd1, [back]; }",
      kCallee);
  const Function& function = kernel_of(*module);
  const auto& code = function.instructions;
  EXPECT_EQ(code[0].parameter_kind, PK::CallArgument);
  EXPECT_EQ(code[0].parameter, 0u);
  EXPECT_EQ(code[1].parameter, 1u);
  EXPECT_EQ(code[1].parameter_offset, 8u);
  EXPECT_EQ(code[1].address.offset, 4);
  EXPECT_EQ(code[2].opcode.op, Op::Call);
  EXPECT_EQ(code[2].target, module->find_function("f"));
  EXPECT_EQ(code[3].parameter_kind, PK::CallReturn);
  EXPECT_EQ(code[3].parameter, 0u);
  EXPECT_EQ(function.call_argument_bytes, 16u);
  EXPECT_EQ(function.call_return_bytes, 8u);

  const Function& callee = module->functions[code[2].target];
  EXPECT_EQ(callee.instructions[0].parameter_kind, PK::Own);
  EXPECT_EQ(callee.instructions[0].parameter_offset, 8u);
  EXPECT_EQ(callee.instructions[1].parameter_kind, PK::OwnReturn);
  EXPECT_EQ(callee.return_bytes, 8u);
}

TEST(Calls, ValuesInRegistersAreStoredAndLoaded) {
  const auto module = decode_kernel("call (%rd1), f, (7, %rd2);", kCallee);
  const auto& code = kernel_of(*module).instructions;
  ASSERT_EQ(code.size(), 5u);
  EXPECT_EQ(code[0].opcode.op, Op::St);
  EXPECT_EQ(code[0].sources[0].bits, 7u);
  EXPECT_EQ(code[1].parameter, 1u);
  EXPECT_EQ(code[2].opcode.op, Op::Call);
  EXPECT_EQ(code[3].opcode.op, Op::Ld);
  EXPECT_EQ(code[3].parameter_kind, PK::CallReturn);
}

TEST(Calls, ParametersInRegisters) {
  const auto module =
      decode(kHeader + ".func (.reg .u32 r) f(.reg .u32 a) { add.u32 r, a, 1; ret; }");
  const auto& code = module->functions[0].instructions;
  ASSERT_EQ(code.size(), 4u);
  EXPECT_EQ(code[0].parameter_kind, PK::Own);
  EXPECT_EQ(code[0].destinations[0].index, code[1].sources[0].index);
  EXPECT_EQ(code[2].parameter_kind, PK::OwnReturn);
  EXPECT_EQ(code[2].sources[0].index, code[1].destinations[0].index);
  EXPECT_EQ(code[3].opcode.op, Op::Ret);
}

TEST(Calls, IndirectOnesListWhatTheyMayReach) {
  const std::string others = kCallee + ".func g() { ret; } .func h() { ret; }\n";
  EXPECT_NE(refusal(kernel_text("call %rd1, proto;", others)), "");
  const auto shaped = decode_kernel("P: .callprototype _ (); call %rd1, P;", others);
  const Instruction& call = kernel_of(*shaped).instructions[0];
  EXPECT_EQ(call.target, kNone);
  EXPECT_EQ(call.targets, (std::vector<uint32_t>{shaped->find_function("g"),
                                                 shaped->find_function("h")}));
  const auto listed = decode_kernel("T: .calltargets h; call %rd1, T;", others);
  EXPECT_EQ(kernel_of(*listed).instructions[0].targets,
            (std::vector<uint32_t>{listed->find_function("h")}));
}

TEST(Calls, AliasesReachTheirFunction) {
  const auto module =
      decode_kernel("call same;", ".func g() { ret; } .func same(); .alias same, g;");
  EXPECT_EQ(kernel_of(*module).instructions[0].target, module->find_function("g"));
}

TEST(Calls, MistakesAreRefused) {
  for (const char* body :
       {"call f;", "call (%rd1), f, (%r1);", "call nobody;", "call 5;",
        "{ .param .b32 q; ld.param.b32 %r1, [q]; }",
        "{ .param .b32 q; st.param.b32 [q], %r1; }",
        "{ .param .b32 q; st.param.b64 [q], %rd1; call (%rd1), f, (q, %rd2); }",
        "{ .param .b64 q; st.param.b64 [q], %rd1; call (%rd1), f, (q, %rd2); }",
        "ld.param.u32 %r1, [n+4];", "ld.param.u64 %rd1, [p+-8];",
        "st.param.u32 [n], %r1;", "ld.global.u32 %r1, [n];"})
    EXPECT_NE(refusal(kernel_text(body, kCallee)), "") << body;
}

}  // namespace
}  // namespace minitorch::ptx
