// The tests of reading NVRTC's log; the logs are those that NVRTC 13.5 printed.
#include <gtest/gtest.h>

#include "nvrtc/diagnostics.h"

namespace minitorch::nvrtc {
namespace {

const SourceFile kSource = {"/minitorch/user/kernel.cu",
                            "extern \"C\" __global__ void k(float* a) {\n"
                            "    int unused;\n"
                            "  \ta[threadIdx.x] = b;\n"
                            "}\n"};

constexpr const char* kLog =
    "/minitorch/user/kernel.cu(3): error: identifier \"b\" is undefined\n"
    "    \ta[threadIdx.x] = b;\n"
    "    \t                 ^\n"
    "\n"
    "/minitorch/user/kernel.cu(2): warning #177-D: variable \"unused\" was declared "
    "but "
    "never referenced\n"
    "      int unused;\n"
    "          ^\n"
    "\n"
    "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n"
    "\n"
    "1 error detected in the compilation of \"/minitorch/user/kernel.cu\".\n";

TEST(Diagnostics, ReadFileLineColumnAndMessage) {
  const std::vector<Diagnostic> found = parse_log(kLog, {kSource});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].severity, "error");
  EXPECT_EQ(found[0].file, kSource.name);
  EXPECT_EQ(found[0].line, 3);
  EXPECT_EQ(found[0].column, 21);  // two blanks, a tab, then the 18th character
  EXPECT_EQ(found[0].message, "identifier \"b\" is undefined");
  EXPECT_EQ(found[0].source_line, "  \ta[threadIdx.x] = b;");
  EXPECT_EQ(found[1].severity, "warning");
  EXPECT_EQ(found[1].code, "#177-D");
  EXPECT_EQ(found[1].line, 2);
  EXPECT_EQ(found[1].column, 9);
}

TEST(Diagnostics, TakeTheQuotedLineWhereTheSourceIsUnknown) {
  const std::vector<Diagnostic> found =
      parse_log("h.cuh(2): error: identifier \"y\" is undefined\n   y;\n   ^\n", {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].file, "h.cuh");
  EXPECT_EQ(found[0].source_line, " y;");
  EXPECT_EQ(found[0].column, 2);
}

TEST(Diagnostics, KnowTheEndOfTheSourceAndCatastrophes) {
  const std::vector<Diagnostic> found = parse_log(
      "At end of source: error: expected a \"}\"\n"
      "k.cu(2): note #3196-D: to match this \"{\"\n"
      "   if(n) {\n"
      "         ^\n"
      "k.cu(1): catastrophic error: cannot open source file \"nope.h\"\n",
      {{"k.cu", "#include \"nope.h\"\n if(n) {\n"}});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].severity, "error");
  EXPECT_EQ(found[0].line, 0);
  EXPECT_EQ(found[0].file, "k.cu");
  EXPECT_EQ(found[1].severity, "note");
  EXPECT_EQ(found[2].severity, "error");
  EXPECT_EQ(found[2].message, "cannot open source file \"nope.h\"");
  EXPECT_EQ(found[2].source_line, "#include \"nope.h\"");
}

TEST(Diagnostics, IgnoreLinesThatAreNoMessages) {
  EXPECT_TRUE(
      parse_log("Compilation terminated.\nf(x): y\nfoo(12) bar\n\n", {}).empty());
  EXPECT_TRUE(parse_log("", {}).empty());
}

TEST(Diagnostics, ShowTheLineWithACaret) {
  EXPECT_EQ(diagnostic_text(parse_log(kLog, {kSource})[0]),
            "kernel.cu(3): error: identifier \"b\" is undefined\n"
            "    \ta[threadIdx.x] = b;\n"
            "    \t                 ^");
}

}  // namespace
}  // namespace minitorch::nvrtc
