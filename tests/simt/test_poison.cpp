// Values that nobody gave are reported where they are used, and only there: what a
// defined operand decides, what is thrown away and what is only copied stays silent.
// Expected: the bits of a result that depend on an undefined bit, by the PTX ISA.
#include <gtest/gtest.h>

#include "engine_run.h"

namespace minitorch::simt {
namespace {

constexpr int kSilent = -1;

struct Row {
  const char* name;
  const char* body;  // %u, %v, %w, %up: never written; %one is 1; %to: the lane's word
  int kind;
};

const Row kRows[] = {
    {"StoredAsItIs", "st.global.u32 [%to], %u;", MtFinding_UninitRegister},
    {"Sum", "add.u32 %a, %u, 1; st.global.u32 [%to], %a;", MtFinding_UninitRegister},
    {"NeverUsed", "add.u32 %a, %u, 1; st.global.u32 [%to], %one;", kSilent},
    {"AndWithZero", "and.b32 %a, %u, 0; st.global.u32 [%to], %a;", kSilent},
    {"OrWithOnes", "or.b32 %a, %u, -1; st.global.u32 [%to], %a;", kSilent},
    {"WithItself", "xor.b32 %a, %u, %u; st.global.u32 [%to], %a;", kSilent},
    {"MinusItself", "sub.u32 %a, %u, %u; st.global.u32 [%to], %a;", kSilent},
    {"XorOfTwo", "xor.b32 %a, %u, %v; st.global.u32 [%to], %a;",
     MtFinding_UninitRegister},
    {"SelectedAway",
     "setp.eq.u32 %p, %one, 1; selp.u32 %a, %one, %u, %p; st.global.u32 [%to], %a;",
     kSilent},
    {"Selected",
     "setp.eq.u32 %p, %one, 1; selp.u32 %a, %u, %one, %p; st.global.u32 [%to], %a;",
     MtFinding_UninitRegister},
    {"SelectedByIt", "selp.u32 %a, 1, 2, %up; st.global.u32 [%to], %a;",
     MtFinding_UninitRegister},
    {"MaskedComparison",
     "and.b32 %a, %u, 0; setp.eq.u32 %p, %a, 0; @%p st.global.u32 [%to], %one;",
     kSilent},
    {"Guard", "@%up st.global.u32 [%to], %one;", MtFinding_UninitRegister},
    {"Branch", "setp.gt.s32 %p, %u, 5; @%p bra L; st.global.u32 [%to], %one; L:",
     MtFinding_UninitRegister},
    {"ConjunctionWithFalse",
     "setp.eq.u32 %p, %one, 2; and.pred %q, %p, %up; @%q bra L;"
     "st.global.u32 [%to], %one; L:",
     kSilent},
    {"Address", "ld.global.u32 %a, [%w]; st.global.u32 [%to], %a;",
     MtFinding_UninitRegister},
    {"Atomic", "red.global.add.u32 [%to], %u;", MtFinding_UninitRegister},
    {"Vote", "vote.sync.ballot.b32 %a, %up, -1; st.global.u32 [%to], %a;",
     MtFinding_UninitRegister},
    {"LowByteInserted", "bfi.b32 %a, %one, %u, 0, 8; st.global.u8 [%to], %a;", kSilent},
    {"ByteBesideIt",
     "bfi.b32 %a, %one, %u, 0, 8; shr.u32 %a, %a, 8; st.global.u8 [%to], %a;",
     MtFinding_UninitRegister},
    {"AllButOneByte", "bfi.b32 %a, %one, %u, 0, 8; st.global.u32 [%to], %a;", kSilent},
    {"LocalNeverWritten", "ld.local.u32 %a, [box]; st.global.u32 [%to], %a;",
     MtFinding_UninitLocal},
    {"LocalWritten",
     "st.local.u32 [box], %one; ld.local.u32 %a, [box]; st.global.u32 [%to], %a;",
     kSilent},
    {"LocalPadding",
     "st.local.u8 [box], %one; ld.local.u32 %a, [box]; st.global.u32 [%to], %a;",
     kSilent},
    {"LocalHoldsTheUnknown",
     "st.local.u32 [box], %u; ld.local.u32 %a, [box]; st.global.u32 [%to], %a;",
     MtFinding_UninitLocal},
    {"LocalOfHalfTheLanes",
     "setp.lt.u32 %p, %lane, 16; @%p st.local.u32 [box], %one;"
     "ld.local.u32 %a, [box]; @%p st.global.u32 [%to], %a;",
     kSilent},
    {"ShuffleFromNobodyUsed",
     "setp.lt.u32 %p, %lane, 20; @!%p exit;"
     "shfl.sync.down.b32 %a, %one, 4, 31, 0xfffff; st.global.u32 [%to], %a;",
     MtFinding_WarpSync},
    {"ShuffleFromNobodyThrownAway",
     "setp.lt.u32 %p, %lane, 20; @!%p exit;"
     "shfl.sync.down.b32 %a, %one, 4, 31, 0xfffff;"
     "setp.lt.u32 %q, %lane, 16; @%q st.global.u32 [%to], %a;",
     kSilent},
};

std::string kernel_text(const Row& row) {
  return module_text(
      std::string(
          ".visible .entry k(.param .u64 out) {\n"
          ".reg .b32 %a, %b, %u, %v, %one, %zero, %lane; .reg .b64 %to, %w, %offset;\n"
          ".reg .pred %p, %q, %up; .local .align 8 .b8 box[8];\n"
          "ld.param.u64 %to, [out]; cvta.to.global.u64 %to, %to;\n"
          "mov.u32 %lane, %laneid; mul.wide.u32 %offset, %lane, 4;\n"
          "add.u64 %to, %to, %offset; mov.u32 %one, %ntid.y; sub.u32 %zero, %one, "
          "1;\n") +
      row.body + "\nret; }\n");
}

class Poison : public testing::TestWithParam<Row> {};

TEST_P(Poison, IsReportedWhereItCounts) {
  const Row& row = GetParam();
  Machine machine(kernel_text(row));
  const uint64_t out = machine.upload(std::vector<uint32_t>(32, 0));
  Launch launch = machine.launch("k", {1}, {32}, out);
  launch.checks = MtCheck_UninitLocal;
  const Outcome outcome = run(launch);
  if (row.kind == kSilent) {
    for (const MtFinding& each : outcome.findings) ADD_FAILURE() << each.detail;
    return;
  }
  ASSERT_FALSE(outcome.findings.empty());
  const bool address = std::string(row.name) == "Address";
  const MtFinding& finding = outcome.findings[address ? 1 : 0];
  EXPECT_EQ(finding.kind, row.kind) << finding.detail;
  EXPECT_EQ(finding.stopped, 0);
  EXPECT_EQ(finding.severity, 2);
}

TEST_P(Poison, CostsNothingWhenNotAskedFor) {
  const Row& row = GetParam();
  Machine machine(kernel_text(row));
  const uint64_t out = machine.upload(std::vector<uint32_t>(32, 0));
  const Launch plain = machine.launch("k", {1}, {32}, out);
  for (const MtFinding& each : run(plain).findings) {
    EXPECT_NE(each.kind, MtFinding_UninitRegister);
    EXPECT_NE(each.kind, MtFinding_UninitLocal);
  }
}

// %zero is 0; the value of a division by it is undefined, with any checks.
const Row kDivisions[] = {
    {"Stored", "div.u32 %a, 7, %zero; st.global.u32 [%to], %a;", MtFinding_DivByZero},
    {"Nowhere", "div.u32 %a, 7, %zero; st.global.u32 [%to], %one;", kSilent},
    {"OfItsOwnRegister", "div.u32 %zero, %zero, %zero; st.global.u32 [%to], %zero;",
     MtFinding_DivByZero},
    {"SelectedAway",
     "rem.s32 %a, 7, %zero; setp.eq.u32 %p, %zero, 0; selp.u32 %a, 3, %a, %p;"
     "st.global.u32 [%to], %a;",
     kSilent},
    {"Selected",
     "rem.s32 %a, 7, %zero; setp.eq.u32 %p, %zero, 1; selp.u32 %a, 3, %a, %p;"
     "st.global.u32 [%to], %a;",
     MtFinding_DivByZero},
    {"SelectedByIt",
     "rem.u32 %a, 7, %zero; setp.eq.u32 %p, %a, 0; selp.u32 %a, 3, 4, %p;"
     "st.global.u32 [%to], %a;",
     MtFinding_DivByZero},
    {"InsteadOfABranch",
     "rem.u32 %a, 7, %zero; setp.ne.u32 %p, %zero, 0; mov.u32 %v, 3;"
     "@!%p bra L; mov.u32 %v, %a; L: st.global.u32 [%to], %v;",
     kSilent},
    {"BehindABranch",
     "rem.u32 %a, 7, %zero; setp.eq.u32 %p, %zero, 0;"
     "@!%p bra L; st.global.u32 [%to], %a; L:",
     MtFinding_DivByZero},
    {"MaskedOut",
     "div.u32 %a, 7, %zero; and.b32 %a, %a, %zero; st.global.u32 [%to], %a;", kSilent},
    {"OneBitOfIt",
     "setp.eq.u32 %p, %zero, 1; div.u32 %a, 7, %zero; selp.u32 %a, 3, %a, %p;"
     "and.b32 %a, %a, 1; st.global.u32 [%to], %a;",
     MtFinding_DivByZero},
    {"Address",
     "div.u32 %a, 7, %zero; and.b32 %a, %a, 4; cvt.u64.u32 %w, %a; add.u64 %w, %w, %to;"
     "ld.global.u32 %a, [%w]; st.global.u32 [%to], %one;",
     MtFinding_DivByZero},
    {"Branch",
     "div.u32 %a, 7, %zero; and.b32 %a, %a, 4; setp.eq.u32 %p, %a, 0; @%p bra L;"
     "st.global.u32 [%to], %one; L:",
     MtFinding_DivByZero},
    {"OtherLanes",
     "div.u32 %a, 7, %zero; and.b32 %a, %a, 4; shfl.sync.bfly.b32 %a, %a, 1, 31, -1;"
     "st.global.u32 [%to], %one;",
     MtFinding_DivByZero},
    {"WideQuotient",
     "cvt.u64.u32 %w, %zero; div.s64 %w, 7, %w; cvt.u32.u64 %a, %w; and.b32 %a, %a, 2;"
     "st.global.u32 [%to], %a;",
     MtFinding_DivByZero},
    {"OfSomeLanes",
     "div.u32 %a, 7, %lane; setp.eq.u32 %p, %lane, 0; selp.u32 %a, 3, %a, %p;"
     "st.global.u32 [%to], %a;",
     kSilent},
    {"SumOfRounds",
     "mov.u32 %v, 2; mov.u32 %b, 0; L: sub.u32 %v, %v, 1; div.u32 %a, 7, %v;"
     "add.u32 %b, %b, %a; setp.ne.u32 %p, %v, 0; @%p bra L; st.global.u32 [%to], %b;",
     MtFinding_DivByZero},
    {"SumThatComesToNothing",
     "mov.u32 %v, 2; mov.u32 %b, 0; L: sub.u32 %v, %v, 1; div.u32 %a, 7, %v;"
     "add.u32 %b, %b, %a; setp.ne.u32 %p, %v, 0; @%p bra L; st.global.u32 [%to], %v;",
     kSilent},
    {"OtherRound",  // what the first round leaves is overwritten in the second
     "mov.u32 %v, 0; L: div.u32 %a, 7, %v; add.u32 %v, %v, 1; setp.lt.u32 %p, %v, 2;"
     "@%p bra L; st.global.u32 [%to], %a;",
     kSilent},
    {"LaterRound",
     "mov.u32 %v, 2; L: sub.u32 %v, %v, 1; div.u32 %a, 7, %v; setp.ne.u32 %p, %v, 0;"
     "@%p bra L; st.global.u32 [%to], %a;",
     MtFinding_DivByZero},
};

class Division : public testing::TestWithParam<Row> {};

TEST_P(Division, ByZeroIsReportedWhereItsResultIsUsed) {
  const Row& row = GetParam();
  Machine machine(kernel_text(row));
  const uint64_t out = machine.upload(std::vector<uint32_t>(64, 0));
  Launch launch = machine.launch("k", {1}, {32}, out);
  for (const uint32_t checks : {uint32_t{0}, uint32_t{MtCheck_UninitLocal}}) {
    launch.checks = checks;
    const Outcome outcome = run(launch);
    ASSERT_EQ(outcome.findings.size(), row.kind == kSilent ? 0u : 1u) << checks;
    if (row.kind != kSilent) {
      EXPECT_EQ(outcome.findings[0].kind, row.kind) << checks;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Uses, Division, testing::ValuesIn(kDivisions),
                         [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(Uses, Poison, testing::ValuesIn(kRows),
                         [](const auto& info) { return info.param.name; });

TEST(Tolerated, LanesThatNeverComeAreOnlyListed) {
  const std::string body =
      ".visible .entry k(.param .u64 out) {\n"
      ".reg .b32 %lane; .reg .b64 %to, %offset; .reg .pred %p;\n"
      "ld.param.u64 %to, [out]; mov.u32 %lane, %laneid;\n"
      "mul.wide.u32 %offset, %lane, 4; add.u64 %to, %to, %offset;\n"
      "setp.lt.u32 %p, %lane, 8; @!%p bra L; bar.warp.sync -1; L:\n"
      "st.global.u32 [%to], 7; ret; }\n";
  Machine machine(module_text(body));
  const uint64_t out = machine.upload(std::vector<uint32_t>(32, 0));
  Launch launch = machine.launch("k", {1}, {32}, out);
  Outcome outcome = run(launch);
  ASSERT_EQ(outcome.findings.size(), 1u);
  EXPECT_EQ(outcome.findings[0].stopped, 1);
  launch.tolerated = uint64_t{1} << MtFinding_WarpSync;
  outcome = run(launch);
  ASSERT_EQ(outcome.findings.size(), 1u);
  EXPECT_EQ(outcome.findings[0].kind, MtFinding_WarpSync);
  EXPECT_EQ(outcome.findings[0].severity, 0);
  EXPECT_EQ(outcome.findings[0].stopped, 0);
  EXPECT_EQ(machine.download<uint32_t>(out, 32), std::vector<uint32_t>(32, 7));
}

}  // namespace
}  // namespace minitorch::simt
