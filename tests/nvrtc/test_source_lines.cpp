// The tests of what keeps a kernel's lines its own: `#line` to other files, and the
// compiler's marks in strings.
#include "nvrtc/source_lines.h"

#include <gtest/gtest.h>

namespace minitorch::nvrtc {
namespace {

std::string cleaned(const std::string& text) {
  return without_foreign_lines(text,
                               [](std::string_view name) { return name == "own.cu"; });
}

TEST(SourceLines, OwnOnesStay) {
  for (const char* text :
       {"#line 5\nint a;\n", "#line 5 \"own.cu\"\n", "# 5 \"own.cu\" 1 3\n",
        "#line 5 // five\n", "  #  line /* to */ 5 \"own.cu\"\n", "#define line 5\n",
        "#include \"/etc/passwd\"\n", "#liner 5 \"/etc/passwd\"\n", "#\n",
        "#pragma unroll 5\n"})
    EXPECT_EQ(cleaned(text), text);
}

TEST(SourceLines, ForeignOnesGoAndLeaveTheirLines) {
  const std::string before[] = {"",          "a\n",           "/* c */ ",    "\\\n",
                                "'\"'\n",    "R\"(\n)\"\n",   "1'000 'a'\n", "\"#\"\n",
                                "// it's\n", "#if 0\ndon't\n"};
  const std::string directives[] = {"#line 5 \"/etc/passwd\"", "# 5 \"/etc/passwd\"",
                                    "%:line 5 \"x\"",          "#li\\\nne 5 \"x\"",
                                    "#/* c\n */line 5 \"x\"",  "#line MACRO",
                                    "#line 5 MACRO",           "#line 5 \"x"};
  for (const std::string& start : before)
    for (const std::string& directive : directives) {
      std::string blank = directive;
      for (char& c : blank)
        if (c != '\n') c = ' ';
      EXPECT_EQ(cleaned(start + directive + "\nb"), start + blank + "\nb");
      EXPECT_EQ(cleaned(start + directive), start + blank);
    }
}

// Neither comments nor strings nor the middle of a line hold directives.
TEST(SourceLines, WhatIsNoDirectiveStays) {
  for (const char* text : {"// #line 5 \"x\"\n", "/*\n#line 5 \"x\"\n*/\n",
                           "R\"a(\n#line 5 \"x\"\n)\"\n)a\"", "int a; #line 5 \"x\"\n",
                           "// c \\\n#line 5 \"x\"\n", "#define X \\\n#line 5 \"x\"\n",
                           "\"a \\\n#line 5 \\\"x\\\"\"\n"})
    EXPECT_EQ(cleaned(text), text);
}

TEST(SourceLines, MarksAreFoundInStringsHoweverTheyAreSpelled) {
  const char* const found[] = {
      "asm(\"// end inline asm\\n.loc 1 9 9\\n// begin inline asm\");",
      "\nasm(\"// end \"\n  \"inline asm\");",
      "asm(\"// end \" /* and */ u8\"inline asm\");",
      "asm(R\"x(\n// begin inline asm\n)x\");",
      "asm(\"\\x2f\\57 begin inline asm\");",
      "asm(\"// begin \\\ninline asm\");",
      "#define END \"// end inline asm\"\n",
  };
  for (const char* text : found)
    EXPECT_EQ(lines_with_assembly_marks(text).size(), 1u) << text;
  EXPECT_EQ(lines_with_assembly_marks(found[1]).front(), 2);
  for (const char* text : {"// begin inline asm\n", "/* \"// end inline asm\" */",
                           "asm(\"mov.u32 a, b;\");", "\"// begin \" x \"inline asm\"",
                           "\"// begin\", \"inline asm\""})
    EXPECT_TRUE(lines_with_assembly_marks(text).empty()) << text;
}

TEST(SourceLines, AnyTextComesToAnEnd) {
  const std::string whole = "#line 5 \"x\\\n'\"R\"a(\"/*\\\n*/\\x41\\";
  for (size_t begin = 0; begin <= whole.size(); ++begin)
    for (size_t size = 0; begin + size <= whole.size(); ++size) {
      const std::string text = whole.substr(begin, size);
      EXPECT_EQ(cleaned(text).size(), text.size());
      lines_with_assembly_marks(text);
    }
}

}  // namespace
}  // namespace minitorch::nvrtc
