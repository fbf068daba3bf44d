// Statements of a function: operands, scopes, labels, immediates, what is refused.
#include <gtest/gtest.h>

#include "ptx_text.h"

namespace minitorch::ptx {
namespace {

Instruction first(const std::string& body, const std::string& before = "") {
  return kernel_of(*decode_kernel(body, before)).instructions.at(0);
}

TEST(Operands, ImmediatesHaveTheBitsOfTheirType) {
  EXPECT_EQ(first("add.s32 %r1, %r2, -4;").sources[1].bits, 0xfffffffcu);
  EXPECT_EQ(first("add.s64 %rd1, %rd2, -4;").sources[1].bits, ~uint64_t{3});
  EXPECT_EQ(first("add.s16 %h1, %h2, -1;").sources[1].bits, 0xffffu);
  EXPECT_EQ(first("mov.f32 %f1, 0f3F800000;").sources[0].bits, 0x3f800000u);
  EXPECT_EQ(first("mov.f32 %f1, -1.5;").sources[0].bits, 0xbfc00000u);
  EXPECT_EQ(first("mov.f64 %d1, 0f3F800000;").sources[0].bits, 0x3ff0000000000000u);
  EXPECT_EQ(first("mov.b32 %r1, 0f7FC00001;").sources[0].bits, 0x7fc00001u);
  EXPECT_EQ(first("mov.pred %p1, 1;").sources[0].bits, 1u);
  EXPECT_EQ(first("mul.wide.s32 %rd1, %r2, -4;").sources[1].bits, 0xfffffffcu);
  EXPECT_NE(refusal(kernel_text("mov.b16 %h1, 1.0;")), "");
}

TEST(Operands, GuardsPairsAndNegation) {
  const auto module = decode_kernel(
      "@!%p3 setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p4; setp.eq.f32 _|%p1, %f1, %f2;");
  const Function& function = kernel_of(*module);
  const Instruction& set = function.instructions[0];
  EXPECT_EQ(function.registers[set.guard].name, "%p3");
  EXPECT_TRUE(set.guard_negated);
  ASSERT_EQ(set.destinations.size(), 2u);
  EXPECT_EQ(name_of(function, set.destinations[1]), "%p2");
  ASSERT_EQ(set.sources.size(), 3u);
  EXPECT_TRUE(set.sources[2].negated);
  EXPECT_EQ(function.instructions[1].destinations[0].kind, Operand::Kind::Sink);
}

TEST(Operands, OptionalOnes) {
  EXPECT_EQ(first("bar.sync 0;").sources.size(), 1u);
  EXPECT_EQ(first("bar.sync 1, 64;").sources[1].bits, 64u);
  EXPECT_EQ(first("bar.red.popc.u32 %r1, 0, %p1;").sources.size(), 2u);
  EXPECT_EQ(first("bar.red.popc.u32 %r1, 0, 64, !%p1;").sources.size(), 3u);
  EXPECT_EQ(first("cvt.rn.f16x2.f32 %r1, %f1, %f2;").sources.size(), 2u);
  EXPECT_EQ(first("atom.global.cas.b32 %r1, [%rd1], %r2, %r3;").sources.size(), 2u);
  EXPECT_EQ(first("shfl.sync.up.b32 %r1|%p1, %r2, 1, 0, -1;").destinations.size(), 2u);
}

TEST(Operands, KnowTheTypeTheyAreReadAndWrittenWith) {
  const auto types = [](const std::string& body) {
    const Instruction made = first(body);
    std::vector<Type> all;
    for (const auto* side : {&made.destinations, &made.sources})
      for (const Operand& operand : *side) all.push_back(operand.type);
    return all;
  };
  using Types = std::vector<Type>;
  EXPECT_EQ(types("mad.wide.s32 %rd1, %r1, 4, %rd2;"),
            (Types{Type::S64, Type::S32, Type::S32, Type::S64}));
  EXPECT_EQ(types("setp.lt.and.s32 _|%p2, %r1, %r2, !%p4;"),
            (Types{Type::Pred, Type::Pred, Type::S32, Type::S32, Type::Pred}));
  EXPECT_EQ(types("mov.b64 {%r1, %r2}, %rd1;"),
            (Types{Type::B32, Type::B32, Type::B64}));
  EXPECT_EQ(types("cvt.rn.f32.s32 %f1, %r1;"), (Types{Type::F32, Type::S32}));
  EXPECT_EQ(types("mov.u32 %r1, %tid.x;"), (Types{Type::U32, Type::U32}));
  EXPECT_EQ(types("shl.b64 %rd1, %rd2, 3;"), (Types{Type::B64, Type::B64, Type::U32}));
}

TEST(Operands, Addresses) {
  const Instruction load = first("ld.global.f32 %f1, [%rd3+-8];");
  EXPECT_EQ(load.address.base.kind, Operand::Kind::Register);
  EXPECT_EQ(load.address.offset, -8);
  EXPECT_EQ(first("ld.global.u32 %r1, [16];").address.base.bits, 16u);
  const Instruction named = first("ld.const.f32 %f1, [w+4];", ".const .f32 w[8];");
  EXPECT_EQ(named.address.base.kind, Operand::Kind::Variable);
  EXPECT_EQ(named.address.offset, 4);
  const Instruction copy = first("cp.async.cg.shared.global [%r1+16], [%rd1+32], 16;");
  EXPECT_EQ(copy.address.offset, 16);
  EXPECT_EQ(copy.source_address.offset, 32);
  EXPECT_EQ(copy.sources[0].bits, 16u);
  EXPECT_NE(refusal(kernel_text("ld.shared.f32 %f1, [w];", ".const .f32 w[8];")), "");
}

const std::string kArrays =
    ".global .align 8 .u64 table[4]; .global .u32 grid[4][8]; .const .f32 w[8];\n"
    ".global .align 8 .v2 .f32 pairs[8]; .global .u32 one; .shared .f32 tile[16];\n"
    ".extern .shared .b8 dynamic[];\n";

// What ptxas makes of the same lines: an index counts values of the array's type.
TEST(IndexedOperands, FixedOnesBecomeOffsets) {
  const auto offset = [](const std::string& body) {
    const Instruction made = first(body, kArrays);
    return made.opcode.op == Op::Mov || made.opcode.op == Op::Cvta
               ? made.sources.at(0).offset
               : made.address.offset;
  };
  EXPECT_EQ(offset("mov.u64 %rd1, table[0];"), 0);
  EXPECT_EQ(offset("mov.u64 %rd1, table[3];"), 24);
  EXPECT_EQ(offset("mov.u64 %rd1, table[4];"), 32);  // one past the end
  EXPECT_EQ(offset("mov.u64 %rd1, table[2*1+1];"), 24);
  EXPECT_EQ(offset("mov.u64 %rd1, pairs[3];"), 12);
  EXPECT_EQ(offset("cvta.global.u64 %rd1, table[1];"), 8);
  EXPECT_EQ(offset("mov.u32 %r1, tile[3];"), 12);
  EXPECT_EQ(offset("ld.global.u64 %rd1, table[2];"), 16);
  EXPECT_EQ(offset("ld.global.u32 %r1, grid[9];"), 36);
  EXPECT_EQ(offset("ld.const.f32 %f1, w[7];"), 28);
  EXPECT_EQ(offset("st.shared.f32 tile[15], %f1;"), 60);
  EXPECT_EQ(offset("ld.global.v2.f32 {%f1, %f2}, pairs[2];"), 8);
  EXPECT_EQ(offset(".local .align 8 .u64 own[4]; mov.u64 %rd1, own[2];"), 16);
  EXPECT_EQ(offset(".local .align 8 .u64 own[4]; ld.local.u64 %rd1, own[1];"), 8);
}

TEST(IndexedOperands, OfParametersAreOffsetsInTheirBuffer) {
  const auto module =
      decode(kHeader +
             ".entry k(.param .u64 p, .param .u32 a[4]) {\n"
             ".reg .u32 %r<3>; .reg .u64 %rd<2>;\n"
             "ld.param.u32 %r1, a[2]; mov.u64 %rd1, a[1]; ld.param.u32 %r2, a[%r1];}");
  const Function& function = kernel_of(*module);
  EXPECT_EQ(function.instructions[0].address.offset, 8);
  EXPECT_EQ(function.instructions[1].sources[0].bits, 12u);
  EXPECT_EQ(function.instructions[2].opcode.text, "mad.wide.u32");
  EXPECT_EQ(function.instructions[2].sources[2].bits, 8u);
  EXPECT_EQ(function.instructions[3].parameter_kind, Instruction::ParameterKind::None);
}

TEST(IndexedOperands, RegistersAreScaledUnderTheSameGuard) {
  const auto module = decode_kernel(
      "@%p1 ld.global.u64 %rd1, table[%r3+1];\n"
      "mov.u32 %r1, tile[%r2]; mov.u64 %rd2, table[%h1]; mov.u64 %rd2, table[%rd1];",
      kArrays);
  const Function& function = kernel_of(*module);
  std::vector<std::string> texts;
  for (const Instruction& made : function.instructions)
    texts.push_back(made.opcode.text);
  EXPECT_EQ(texts, (std::vector<std::string>{"add.u32", "mad.wide.u32", "ld.global.u64",
                                             "mad.lo.u32", "mov.u32", "cvt.u32.u16",
                                             "mad.wide.u32", "mov.u64", "cvt.u32.u64",
                                             "mad.wide.u32", "mov.u64", "ret"}));
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(function.registers[function.instructions[i].guard].name, "%p1");
    EXPECT_EQ(function.instructions[i].ptx_line, function.instructions[2].ptx_line);
  }
  EXPECT_EQ(function.instructions[1].sources[1].bits, 8u);
  EXPECT_EQ(function.instructions[1].sources[2].kind, Operand::Kind::Variable);
  EXPECT_EQ(name_of(function, function.instructions[2].address.base), "table[%r3]");
}

class RefusedIndex
    : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(RefusedIndex, SaysWhatIsNeeded) {
  const auto& [line, needs] = GetParam();
  EXPECT_NE(refusal(kernel_text(line, kArrays)).find(needs), std::string::npos)
      << refusal(kernel_text(line, kArrays));
}

INSTANTIATE_TEST_SUITE_P(
    Forms, RefusedIndex,
    testing::Values(
        std::pair{
            "mov.u64 %rd1, table[5];",
            "got the index 5 of 'table', which has 4 elements; need an index from "
            "0 to 4."},
        std::pair{"ld.global.u64 %rd1, table[4];", "need an index from 0 to 3."},
        std::pair{"ld.global.u64 %rd1, table[-1];", "got the index -1 of 'table'"},
        std::pair{"mov.u64 %rd1, table[0x2000000000000000];", "need an index from 0"},
        std::pair{"mov.u64 %rd1, table[1.0];", "got a fraction as an index"},
        std::pair{"mov.u64 %rd1, table[];", "need a number"},
        std::pair{"mov.u64 %rd1, table[1;", "need ']'"},
        std::pair{"mov.u64 %rd1, table[1][2];", "need ';'"},
        std::pair{"mov.u64 %rd1, one[0];", "need the name of a declared array"},
        std::pair{"mov.u64 %rd1, p[0];", "need the name of a declared array"},
        std::pair{"mov.u64 %rd1, nothing[0];", "need the name of a declared array"},
        std::pair{"mov.u64 %rd1, %rd2[0];", "need the name of a declared array"},
        std::pair{"mov.u64 %rd1, dynamic[3];", "an array without a size"},
        std::pair{"ld.shared.u8 %r1, dynamic[%r2];", "an array without a size"},
        std::pair{"mov.u64 %rd1, table[%f1];", "need a register that holds an integer"},
        std::pair{"mov.u64 %rd1, table[%p1];", "need a register that holds an integer"},
        std::pair{"mov.u64 %rd1, table[%tid.x];", "need a register that holds"},
        std::pair{"mov.u64 %rd1, table[nothing];", "need a register that holds"},
        std::pair{"mov.f32 %f1, table[0];", "a mov of 4 or 8 bytes"},
        std::pair{"mov.b16 %h1, table[0];", "a mov of 4 or 8 bytes"},
        std::pair{"mov.u64 table[0], %rd1;", "as a destination; need a register"},
        std::pair{"add.u64 %rd1, table[0], 8;", "need it in ld, st, cvta or a mov"},
        std::pair{"ld.global.u64 %rd1, [table[1]];", "got an index inside brackets"},
        std::pair{"atom.global.add.u32 %r1, grid[1], 1;",
                  "need an address in brackets"},
        std::pair{"ld.shared.u32 %r1, grid[1];", "need a variable of that space"},
        std::pair{"ld.shared.u32 %r1, grid[%r2];", "need a variable of that space"},
        std::pair{"ld.f32 %f1, tile[%r2];", "need ld or st with .shared."}));

TEST(Operands, VectorsAreFlattened) {
  const Instruction load = first("ld.global.v4.f32 {%f1, _, %f3, %f4}, [%rd1];");
  ASSERT_EQ(load.destinations.size(), 4u);
  EXPECT_EQ(load.destinations[1].kind, Operand::Kind::Sink);
  const Instruction unpack = first("mov.b64 {%r1, %r2}, %rd1;");
  EXPECT_EQ(unpack.opcode.op, Op::Unpack);
  EXPECT_EQ(unpack.opcode.vector, 2);
  const Instruction pack = first("mov.b32 %r1, {%h1, %h2};");
  EXPECT_EQ(pack.opcode.op, Op::Pack);
  EXPECT_EQ(pack.sources.size(), 2u);
  EXPECT_NE(refusal(kernel_text("mov.b64 {%r1, %r2, %r3}, %rd1;")), "");
  EXPECT_NE(refusal(kernel_text("ld.global.v4.f32 {%f1, %f2}, [%rd1];")), "");
}

TEST(Operands, NamesOfTheModule) {
  const std::string before = ".global .u32 g[4]; .func f() { ret; }";
  const Instruction variable = first("mov.u64 %rd1, g+8;", before);
  EXPECT_EQ(variable.sources[0].kind, Operand::Kind::Variable);
  EXPECT_EQ(variable.sources[0].offset, 8);
  EXPECT_EQ(first("mov.u64 %rd1, f;", before).sources[0].kind, Operand::Kind::Function);
  EXPECT_EQ(first("mov.u32 %r1, %ctaid.y;").sources[0].special, Special::CtaidY);
  const Instruction parameter = first("mov.b64 %rd1, n;");
  EXPECT_EQ(parameter.sources[0].kind, Operand::Kind::Immediate);
  EXPECT_EQ(parameter.sources[0].bits, 8u);  // after the 8 bytes of p
}

TEST(Operands, RegistersMustFitTheType) {
  EXPECT_EQ(refusal(kernel_text("add.f32 %f1, %r1, %f2;")), "");  // .b32 holds anything
  for (const char* body :
       {"add.f32 %d1, %f1, %f2;", "add.s32 %f1, %f2, %f3;", "add.s32 %p1, %r1, %r2;",
        "mov.u64 %rd1, %r1;", "setp.eq.s32 %r1, %r2, %r3;", "add.s32 %r1, %r2, !%r3;",
        "add.s32 %r1, %r2;", "add.s32 %r1, %r2, %r3, %r4;", "add.s32 5, %r1, %r2;",
        "add.s32 %r1, _, %r2;", "ld.global.f32 %f1, %rd1;", "@%r1 ret;",
        "add.s32 %r1, [%rd1], 4;", "add.s32 %r1, %r99, 4;", "mov.u32 %r1, nobody;"})
    EXPECT_NE(refusal(kernel_text(body)), "") << body;
  EXPECT_NE(refusal(kernel_text("add.f32 %d1, %f1, %f2;"))
                .find("got %d1 (f64) in add.f32; need a register of type f32."),
            std::string::npos);
}

TEST(Operands, UnknownSpecialRegistersMakeAnInstructionUnsupported) {
  EXPECT_EQ(first("mov.u32 %r1, %cluster_ctaid.x;").opcode.op, Op::Unsupported);
  EXPECT_EQ(first("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, {%f1, %f2}];").opcode.op,
            Op::Unsupported);
}

TEST(Scopes, InnerRegistersHideOuterOnes) {
  const auto module = decode_kernel(
      "mov.u32 %r1, 1; { .reg .b64 %r1; .reg .f32 x; mov.u64 %r1, 2; mov.f32 x, 0; }"
      "{ .reg .b32 %r<3>; mov.u32 %r1, 3; } mov.u32 %r1, 4;");
  const Function& function = kernel_of(*module);
  const auto target = [&](int i) {
    return function.instructions[i].destinations[0].index;
  };
  EXPECT_EQ(target(0), target(4));
  EXPECT_NE(target(0), target(1));
  EXPECT_NE(target(0), target(3));
  EXPECT_EQ(function.registers[target(1)].type, Type::B64);
  EXPECT_NE(refusal(kernel_text("{ .reg .b32 x; } mov.u32 x, 1;")), "");
}

TEST(Scopes, OnlyUsedRegistersCount) {
  const auto module = decode_kernel("add.s32 %r7, %r3, %r7;");
  EXPECT_EQ(kernel_of(*module).registers.size(), 2u);
}

TEST(Labels, BelongToTheirScope) {
  const auto module = decode_kernel(
      "{ L: mov.u32 %r1, 1; bra L; } { L: mov.u32 %r1, 2; bra L; } bra END; END:");
  const auto& instructions = kernel_of(*module).instructions;
  EXPECT_EQ(instructions[1].target, 0u);
  EXPECT_EQ(instructions[3].target, 2u);
  EXPECT_EQ(instructions[4].target, 5u);
  EXPECT_EQ(instructions[5].opcode.op, Op::Ret);  // added: a label stood at the end
  EXPECT_NE(refusal(kernel_text("bra nowhere;")), "");
  EXPECT_NE(refusal(kernel_text("L: ret; L: ret;")), "");
}

TEST(Labels, TablesOfTargets) {
  const auto module =
      decode_kernel("A: .branchtargets X, Y; brx.idx %r1, A; X: ret; Y: exit;");
  EXPECT_EQ(kernel_of(*module).instructions[0].targets, (std::vector<uint32_t>{1, 2}));
  EXPECT_NE(refusal(kernel_text("brx.idx %r1, A; A: ret;")), "");
}

}  // namespace
}  // namespace minitorch::ptx
