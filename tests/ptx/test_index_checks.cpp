// Checks of indices: comments that a translator leaves, read where they are asked for.
#include <gtest/gtest.h>

#include "base/text.h"
#include "ptx_text.h"

namespace minitorch::ptx {
namespace {

std::string check(const std::string& operands) {
  return base::text("\t// begin inline asm\n\t// minitorch.index.u64 ", operands,
                    ";\n\t// end inline asm\n");
}

std::shared_ptr<const Module> checked(const std::string& body) {
  return decode(kernel_text("\n" + body), {.index_checks = true});
}

/// The values and extents of each check that is left.
std::vector<std::vector<std::string>> checks_of(const std::string& body) {
  const auto module = checked(body);
  const Function& function = kernel_of(*module);
  std::vector<std::vector<std::string>> found;
  const auto text = [&](const Operand& operand) {
    return operand.kind == Operand::Kind::Immediate ? std::to_string(operand.bits)
                                                    : name_of(function, operand);
  };
  for (const Instruction& each : function.instructions) {
    if (each.opcode.op != Op::IndexCheck) continue;
    EXPECT_TRUE(each.only_checks);
    auto& told = found.emplace_back();
    for (size_t at = 0; at < each.sources.size(); at += kIndexSources) {
      told.push_back(text(each.sources[at + kIndexValue]) + " of " +
                     text(each.sources[at + kIndexExtent]));
    }
  }
  return found;
}
using Checks = std::vector<std::vector<std::string>>;

const std::string kLoad = "ld.param.u64 %rd1, [p];\nld.param.u64 %rd2, [p];\n";

TEST(IndexChecks, AreCommentsUnlessAskedFor) {
  const std::string body = kLoad + check("0, 0, 1, 1, %rd1, %rd2");
  const auto plain = decode(kernel_text("\n" + body));
  EXPECT_EQ(kernel_of(*plain).instructions.size(), 3u);  // two loads and the return
  EXPECT_EQ(checks_of(body), (Checks{{"%rd1 of %rd2"}}));
}

TEST(IndexChecks, AreNoInstructionsOfPtx) {
  const std::string text = kernel_text("minitorch.index.u64 0, 0, 1, 1, 3, 4;");
  EXPECT_NE(refusal(text).find("need an instruction of PTX"), std::string::npos);
}

TEST(IndexChecks, OutsideOfInlineAssemblyAreComments) {
  const auto module = checked("// minitorch.index.u64 0, 0, 1, 1, %rd1, %rd2;\n");
  EXPECT_EQ(kernel_of(*module).instructions.size(), 1u);
}

TEST(IndexChecks, OddOnesAreRefused) {
  const auto refused = [](const std::string& body) {
    try {
      checked(body);
    } catch (const PtxError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refused(check("%r1, 0, 1, 1, %rd1, %rd2")), "");
  EXPECT_NE(refused(check("0, 0, 1, 1, %rd1")), "");
  EXPECT_NE(refused(check("0, 0, 77, 1, %rd1, %rd2")), "");
  EXPECT_NE(refused(check("0, 0, 1, 77, %rd1, %rd2")), "");
  EXPECT_NE(refused(check("0, 0, 1, 1, %r1, %rd1")), "");
}

TEST(IndexChecks, OfOneAccessBecomeOne) {
  EXPECT_EQ(checks_of(kLoad + check("7, 0, 1, 1, %rd1, 8") +
                      "add.s64 %rd3, %rd1, 1;\n" + check("7, 1, 1, 1, %rd2, 9")),
            (Checks{{"%rd1 of 8", "%rd2 of 9"}}));
  EXPECT_EQ(
      checks_of(kLoad + check("7, 0, 1, 1, %rd1, 8") + check("8, 1, 1, 1, %rd2, 9")),
      (Checks{{"%rd1 of 8"}, {"%rd2 of 9"}}));
}

TEST(IndexChecks, LookBeforeTheirValueChanges) {
  EXPECT_EQ(checks_of(kLoad + check("7, 0, 1, 1, %rd1, 8") +
                      "add.s64 %rd1, %rd1, 1;\n" + check("7, 1, 1, 1, %rd2, 9")),
            (Checks{{"%rd1 of 8"}, {"%rd2 of 9"}}));
}

TEST(IndexChecks, ThatHoldAreLeftOut) {
  EXPECT_EQ(checks_of("mov.u64 %rd1, 3;\n" + check("0, 0, 1, 1, %rd1, 4")), Checks{});
  EXPECT_EQ(checks_of("mov.u64 %rd1, 4;\n" + check("0, 0, 1, 1, %rd1, 4")),
            (Checks{{"%rd1 of 4"}}));
  // One that can fail keeps the values of the others for its report.
  EXPECT_EQ(checks_of(kLoad + check("0, 0, 1, 1, 3, 4") + check("0, 1, 1, 1, %rd1, 4")),
            (Checks{{"3 of 4", "%rd1 of 4"}}));
}

TEST(IndexChecks, AreDoneOnceOnEachWay) {
  const std::string once = check("0, 0, 1, 1, %rd1, %rd2");
  const std::string again = check("1, 0, 1, 1, %rd1, %rd2");
  EXPECT_EQ(checks_of(kLoad + once + again), (Checks{{"%rd1 of %rd2"}}));
  const std::string fork = "setp.eq.s32 %p1, 1, 2;\n@%p1 bra L;\n";
  EXPECT_EQ(checks_of(kLoad + once + fork + again + "L:\n" + again),
            (Checks{{"%rd1 of %rd2"}}));
  EXPECT_EQ(checks_of(kLoad + fork + once + "L:\n" + again),
            (Checks{{"%rd1 of %rd2"}, {"%rd1 of %rd2"}}));
  // A register with several values says nothing of the next one.
  EXPECT_EQ(checks_of(kLoad + once + "add.s64 %rd1, %rd1, 1;\n" + again),
            (Checks{{"%rd1 of %rd2"}, {"%rd1 of %rd2"}}));
}

TEST(IndexChecks, InLoopsAreDoneInEveryRound) {
  const std::string loop =
      "L:\n" + check("0, 0, 1, 1, %rd3, %rd2") +
      "add.s64 %rd3, %rd1, 1;\nsetp.eq.s64 %p1, %rd3, 9;\n@%p1 bra L;\n";
  EXPECT_EQ(checks_of(kLoad + "mov.u64 %rd3, %rd1;\n" + loop),
            (Checks{{"%rd3 of %rd2"}}));
  // What does not change in the loop was looked at before it.
  EXPECT_EQ(checks_of(kLoad + check("1, 0, 1, 1, %rd1, %rd2") + "L:\n" +
                      check("0, 0, 1, 1, %rd1, %rd2") +
                      "setp.eq.s64 %p1, %rd2, 9;\n@%p1 bra L;\n"),
            (Checks{{"%rd1 of %rd2"}}));
}

std::vector<std::pair<std::string, bool>> marks_of(const std::string& body) {
  const auto module = checked(body);
  std::vector<std::pair<std::string, bool>> found;
  for (const Instruction& each : kernel_of(*module).instructions) {
    found.emplace_back(each.opcode.text, each.only_checks);
  }
  return found;
}

TEST(IndexChecks, MarkWhatOnlyTheyNeed) {
  const auto marks = marks_of(
      "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\ncvt.u64.u32 %rd3, %r1;\n"
      "mul.lo.s64 %rd4, %rd3, 2;\n" +
      check("0, 0, 1, 1, %rd4, 8") + "st.global.u32 [%rd1], %r1;\n");
  EXPECT_EQ(marks, (decltype(marks){{"ld.param.u64", false},
                                    {"mov.u32", false},
                                    {"cvt.u64.u32", true},
                                    {"mul.lo.s64", true},
                                    {"minitorch.index.u64", true},
                                    {"st.global.u32", false},
                                    {"ret", false}}));
}

TEST(IndexChecks, ThatHoldLeaveNothing) {
  const auto marks = marks_of(
      "ld.param.u64 %rd1, [p];\nsetp.eq.s64 %p1, %rd1, 9;\n"
      "@%p1 bra L;\nmov.u64 %rd2, 3;\n" +
      check("0, 0, 1, 1, %rd2, 8") + "L:\nst.global.u32 [%rd1], 1;\n");
  EXPECT_EQ(marks, (decltype(marks){{"ld.param.u64", false},
                                    {"setp.eq.s64", false},
                                    {"bra", false},
                                    {"st.global.u32", false},
                                    {"ret", false}}));
}

}  // namespace
}  // namespace minitorch::ptx
