// Tokens, constant expressions and declarations; expected values by hand.
#include <gtest/gtest.h>

#include "ptx/lexer.h"
#include "ptx_text.h"

namespace minitorch::ptx {
namespace {

std::vector<std::string> tokens(std::string_view text) {
  Lexer lexer(text);
  std::vector<std::string> all;
  while (lexer.peek().kind != Token::Kind::End) all.emplace_back(lexer.take().text);
  return all;
}

TEST(Lexer, CutsWordsNumbersAndSymbols) {
  EXPECT_EQ(tokens("@%p1 ld.shared::cta.u32 %r1,[a+-4];// end\n/* x\n */ $L_1:"),
            (std::vector<std::string>{"@", "%p1", "ld.shared::cta.u32", "%r1", ",", "[",
                                      "a", "+", "-", "4", "]", ";", "$L_1", ":"}));
  EXPECT_EQ(
      tokens(".reg.b32 %r<3>; 0f3F800000 1.5e-3 0x1FU 1<<2"),
      (std::vector<std::string>{".reg", ".b32", "%r", "<", "3", ">", ";", "0f3F800000",
                                "1.5e-3", "0x1FU", "1", "<<", "2"}));
}

TEST(Lexer, KnowsLineAndColumn) {
  Lexer lexer("a\n  /* two\nlines */ bc\n\"s\"");
  lexer.take();
  EXPECT_EQ(lexer.peek().line, 3u);
  EXPECT_EQ(lexer.peek().column, 10u);
  lexer.take();
  EXPECT_EQ(lexer.peek().kind, Token::Kind::String);
  EXPECT_EQ(lexer.peek().line, 4u);
}

TEST(Lexer, RefusesOpenCommentsAndStrings) {
  EXPECT_THROW(tokens("a /* b"), PtxError);
  EXPECT_THROW(tokens("a \"b"), PtxError);
}

uint64_t constant(const std::string& expression) {
  const auto module = decode_kernel("mov.b64 %rd1, " + expression + "; ret;");
  return kernel_of(*module).instructions[0].sources[0].bits;
}

TEST(Parser, NumbersInAllBases) {
  EXPECT_EQ(constant("42"), 42u);
  EXPECT_EQ(constant("0x1fU"), 31u);
  EXPECT_EQ(constant("017"), 15u);
  EXPECT_EQ(constant("0b101"), 5u);
  EXPECT_EQ(constant("-1"), ~uint64_t{0});
  EXPECT_EQ(constant("18446744073709551615U"), ~uint64_t{0});
  EXPECT_EQ(constant("0d3FF0000000000000"), 0x3FF0000000000000u);
  EXPECT_EQ(constant("WARP_SZ"), 32u);
}

TEST(Parser, ConstantExpressions) {
  EXPECT_EQ(constant("1 + 2 * 3"), 7u);
  EXPECT_EQ(constant("(1 + 2) * 3"), 9u);
  EXPECT_EQ(constant("10 - 4 - 3"), 3u);
  EXPECT_EQ(constant("1 << 4 | 3"), 19u);
  EXPECT_EQ(constant("~0 & 0xff"), 255u);
  EXPECT_EQ(constant("5 > 3 ? 10 : 20"), 10u);
  EXPECT_EQ(constant("!5"), 0u);
  EXPECT_EQ(constant("7 / 2 % 2"), 1u);
  EXPECT_EQ(constant("-9223372036854775807 - 1 == 1 << 63"), 1u);
  EXPECT_EQ(constant("(.s64) -3"), uint64_t(-3));
  EXPECT_THROW(constant("1 / 0"), PtxError);
  EXPECT_THROW(constant("1 +"), PtxError);
  EXPECT_THROW(constant("0x"), PtxError);
}

TEST(Parser, HeaderOfAModule) {
  const auto module = decode(".version 3.0\n.target sm_75, debug\n.address_size 64\n");
  EXPECT_EQ(module->version_major, 3);
  EXPECT_EQ(module->version_minor, 0);
  EXPECT_EQ(module->target_sm, 75);
  EXPECT_TRUE(module->debug);
  EXPECT_NE(refusal("").find("need .version"), std::string::npos);
  EXPECT_NE(refusal(".version 8.0 .target sm_75 .address_size 32"), "");
}

TEST(Parser, SkipsDebugSectionsAndPragmas) {
  const auto module = decode(kernel_text(".pragma \"nounroll\"; ret;") +
                             ".section .debug_abbrev {\n$L: .b8 1,2\n.b64 $L+4\n}\n");
  EXPECT_EQ(kernel_of(*module).instructions.size(), 1u);
}

TEST(Parser, LaunchBounds) {
  const auto module = decode(kHeader +
                             ".entry a() .maxntid 32, 4, 2 .minnctapersm 2 { ret; }"
                             ".entry b() .reqntid 64, 2 .maxnreg 32 { ret; }");
  EXPECT_EQ(module->functions[0].max_threads, 256u);
  EXPECT_EQ(module->functions[1].required_threads[0], 64u);
  EXPECT_EQ(module->functions[1].required_threads[1], 2u);
  EXPECT_EQ(module->functions[1].required_threads[2], 1u);
}

TEST(Parser, ParametersAtTheirAlignment) {
  const auto module = decode(
      kHeader +
      ".entry k(.param .u8 a, .param .align 8 .b8 s[12], .param .u16 b,"
      ".param .u64 .ptr .global .align 4 q, .param .align 16 .v4 .f32 v) { ret; }");
  const Function& function = kernel_of(*module);
  std::vector<uint32_t> offsets, sizes;
  for (const Parameter& parameter : function.parameters) {
    offsets.push_back(parameter.offset);
    sizes.push_back(parameter.size);
  }
  EXPECT_EQ(offsets, (std::vector<uint32_t>{0, 8, 20, 24, 32}));
  EXPECT_EQ(sizes, (std::vector<uint32_t>{1, 12, 2, 8, 16}));
  EXPECT_EQ(function.parameter_bytes, 48u);
}

TEST(Parser, DeclarationsAreCompletedByDefinitions) {
  const auto module = decode(kHeader +
                             ".extern .func (.param .b32 r) vprintf (.param .b64 a);"
                             ".func f(.param .b32 x); .func f(.param .b32 x) { ret; }");
  ASSERT_EQ(module->functions.size(), 2u);
  EXPECT_TRUE(module->functions[0].external);
  EXPECT_FALSE(module->functions[1].external);
  EXPECT_NE(refusal(kHeader + ".func f() { ret; } .func f() { ret; }"), "");
}

TEST(Parser, MistakesNameTheirPlace) {
  const std::string said = refusal(kHeader + ".entry k() {\n  mov.u32 %r1 5;\n}");
  EXPECT_EQ(said, "[ptx] got '5'; need ';'. Line 5, column 15.");
  EXPECT_NE(refusal(kHeader + ".entry k() { ret;"), "");
  EXPECT_NE(refusal(kHeader + ".entry () { ret; }"), "");
  EXPECT_NE(refusal(kHeader + ".globl .u32 a;"), "");
  EXPECT_NE(refusal(kHeader + ".global .u33 a;"), "");
  EXPECT_NE(refusal(kHeader + ".global .align 3 .u32 a;"), "");
}

}  // namespace
}  // namespace minitorch::ptx
