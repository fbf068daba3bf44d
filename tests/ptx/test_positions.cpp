// Source lines: .loc with inlining chains, lines 0, .file after the code.
#include <gtest/gtest.h>

#include "ptx_text.h"

namespace minitorch::ptx {
namespace {

const Position& position(const Module& module, size_t instruction) {
  return module.positions.at(kernel_of(module).instructions.at(instruction).position);
}

TEST(Positions, FilesMayComeLater) {
  const auto module = decode(kernel_text("ret; .loc 2 5 7\nexit;") +
                             ".file 1 \"/a.cu\"\n.file 2 \"/b.cuh\", 12, 34\n");
  EXPECT_EQ(kernel_of(*module).instructions[0].position, kNone);
  EXPECT_EQ(module->files.at(position(*module, 1).file), "/b.cuh");
  EXPECT_EQ(position(*module, 1).line, 5u);
  EXPECT_EQ(position(*module, 1).column, 7u);
  EXPECT_EQ(position(*module, 1).inlined_at, kNone);
}

TEST(Positions, LineZeroKeepsTheLastLine) {
  const auto module = decode_kernel(".loc 1 5 7\n mov.u32 %r1, 0; .loc 1 0 7\n ret;");
  EXPECT_EQ(position(*module, 1).line, 5u);
  const auto none = decode_kernel(".loc 1 0 0\n ret;");
  EXPECT_EQ(kernel_of(*none).instructions[0].position, kNone);
}

TEST(Positions, AtALabelLineZeroIsTheNextLine) {
  const auto module = decode_kernel(
      ".loc 1 5 7\n mov.u32 %r1, 0;\n L:\n .loc 1 0 7\n mov.u32 %r2, 0;\n"
      ".loc 1 9 3\n ret;");
  EXPECT_EQ(position(*module, 0).line, 5u);
  EXPECT_EQ(position(*module, 1).line, 9u);
}

TEST(Positions, DivisionsInLineZeroBelongToTheLineThatUsesThem) {
  const auto module = decode_kernel(
      ".loc 1 5 7\n mov.u32 %r1, 1;\n.loc 1 0 7\n rem.u32 %r2, %r1, %r1;\n"
      " cvt.u64.u32 %rd1, %r2;\n.loc 1 4 3\n mov.u32 %r3, 2;\n"
      ".loc 1 6 3\n add.u64 %rd2, %rd1, 1;");
  EXPECT_EQ(position(*module, 1).line, 6u);
  EXPECT_EQ(position(*module, 2).line, 5u);
  // Where nobody uses it, as any other instruction.
  const auto unused = decode_kernel(
      ".loc 1 5 7\n mov.u32 %r1, 1;\n.loc 1 0 7\n div.u32 %r2, %r1, %r1;\n"
      ".loc 1 6 3\n ret;");
  EXPECT_EQ(position(*unused, 1).line, 5u);
}

TEST(Positions, InlinedCallsFormAChain) {
  const auto module = decode_kernel(
      ".loc 1 30 1\n mov.u32 %r1, 0;\n"
      ".loc 1 20 2, function_name $L__info_string0, inlined_at 1 30 1\n mov.u32 %r1, "
      "1;\n"
      ".loc 1 10 3, function_name $L__info_string0+5, inlined_at 1 20 2\n ret;");
  const Position& inner = position(*module, 2);
  EXPECT_EQ(inner.function, kNone);  // its name stands nowhere
  EXPECT_EQ(inner.line, 10u);
  const Position& middle = module->positions.at(inner.inlined_at);
  EXPECT_EQ(middle.line, 20u);
  EXPECT_EQ(module->positions.at(middle.inlined_at).line, 30u);
}

TEST(Positions, InlinedFunctionsHaveNames) {
  const auto module = decode(
      kernel_text(
          ".loc 1 20 2, function_name $L__info_string0, inlined_at 1 30 1\nret;") +
      ".section .debug_str {\n$L__info_string0:\n.b8 95,90,52,97,120\n.b8 "
      "112,121,102,0\n"
      "$L__info_string1: .b8 97,0 }\n");
  ASSERT_NE(position(*module, 0).function, kNone);
  EXPECT_EQ(module->inlined_names.at(position(*module, 0).function), "axpy");
}

TEST(Positions, EqualOnesAreSharedAndPtxLinesKept) {
  const auto module = decode_kernel(".loc 1 5 7\nmov.u32 %r1, 0;\n.loc 1 5 7\nret;");
  const auto& code = kernel_of(*module).instructions;
  EXPECT_EQ(code[0].position, code[1].position);
  EXPECT_EQ(module->positions.size(), 1u);
  EXPECT_EQ(code[1].ptx_line, code[0].ptx_line + 2);
}

// As LLVM prints them: what is not ASCII in octal, quotes behind a backslash.
TEST(Positions, FileNamesAreUnescaped) {
  const auto module = decode(kernel_text(".loc 1 5 7\nret;") +
                             R"(
.file 1 "/home/jos\303\251/\344\275\240 \"x\".cu"
.file 2 "C:\\new\\073.cu"
.file 3 "\7a\tb\c"
)");
  EXPECT_EQ(module->files.at(0), "/home/jos\u00e9/\u4f60 \"x\".cu");
  EXPECT_EQ(module->files.at(1), "C:\\new\\073.cu");
  EXPECT_EQ(module->files.at(2), "\aa\tbc");
}

// The compiler marks the text of an asm statement; what stands there moves no line.
TEST(Positions, AssemblyDoesNotMoveThem) {
  const auto module = decode(kernel_text(
      ".loc 1 5 7\nmov.u32 %r1, 0;\n"
      "\t// begin inline asm\n\t.loc 2 99 1\nmov.u32 %r2, 1;\n"
      ".loc 1 98 1, function_name $L__info, inlined_at 2 1 1\nmov.u32 %r3, 1;\n"
      "\t// end inline asm\r\n"
      "mov.u32 %r4, 2;\n.loc 1 6 1\nret;"));
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(position(*module, i).line, 5u) << i;
  EXPECT_EQ(position(*module, 4).line, 6u);
  EXPECT_EQ(module->positions.size(), 2u);
}

TEST(Positions, MarksOfAssemblyStandInPairs) {
  const auto marked = [](const char* marks) {
    return refusal(kernel_text(std::string(marks) + "\nret;"));
  };
  EXPECT_EQ(marked("// begin inline asm\n// end inline asm\n"
                   "// begin inline asm\nmov.u32 %r1, 0;\n// end inline asm"),
            "");
  EXPECT_EQ(marked("// the end inline asm\n// begin inline asm, really"), "");
  EXPECT_NE(marked("// begin inline asm\n// end inline asm\n.loc 1 9 9\n"
                   "// end inline asm")
                .find("'// end inline asm' without inline assembly"),
            std::string::npos);
  EXPECT_NE(marked("// begin inline asm\n// begin inline asm\n// end inline asm")
                .find("'// begin inline asm' within inline assembly"),
            std::string::npos);
}

}  // namespace
}  // namespace minitorch::ptx
