// Checks of indices (cpp/ptx/index_checks.cpp) while kernels run: who is told, what is
// counted, and that blocks which follow from the first one are looked at as well.
#include <gtest/gtest.h>

#include "base/text.h"
#include "counting.h"
#include "simt/lanes/isa.h"
#include "simt/program/code.h"
#include "simt/program/engine.h"

namespace minitorch::simt {
namespace {

std::string check(const std::string& operands) {
  return base::text("// begin inline asm\n// minitorch.index.u64 ", operands,
                    ";\n// end inline asm\n");
}

/// k(out, rows, columns): each thread checks its number by `checks`, then stores.
std::string kernel(const std::string& checks, const std::string& before = "") {
  return module_text(
      ".visible .entry k(.param .u64 out, .param .u64 rows, .param .u64 columns)\n{\n"
      ".reg .pred %p<9>;\n.reg .b32 %r<30>;\n.reg .b64 %rd<30>;\n"
      "ld.param.u64 %rd1, [out];\nld.param.u64 %rd2, [rows];\n"
      "ld.param.u64 %rd3, [columns];\n"
      "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n"
      "mad.lo.s32 %r4, %r1, %r2, %r3;\ncvt.s64.s32 %rd4, %r4;\n"
      "mul.wide.s32 %rd5, %r4, 4;\nadd.s64 %rd6, %rd1, %rd5;\n" +
      before + checks + "st.global.u32 [%rd6], %r4;\ndone:\nret;\n}\n");
}

struct Shape {
  base::Dim3 grid = {4}, block = {64};
  uint64_t rows = 1000, columns = 1000;
  bool index_checks = true;
  uint32_t checks = 0;
};

Outcome outcome(const std::string& text, const Shape& shape, bool scalar = false) {
  Machine machine(text, {.index_checks = shape.index_checks});
  const uint64_t out = machine.upload(std::vector<uint32_t>(1024));
  Launch launch =
      machine.launch("k", shape.grid, shape.block, out, shape.rows, shape.columns);
  launch.checks = shape.checks;
  return scalar ? run_scalar(launch) : run(launch);
}

const MtFinding& only_finding(const Outcome& outcome) {
  static const MtFinding none{};
  EXPECT_EQ(outcome.findings.size(), 1u);
  return outcome.findings.empty() ? none : outcome.findings[0];
}

const std::string kTwo = check("5, 0, 1, 2, %rd4, %rd2") + check("5, 1, 1, 2, 7, %rd3");

TEST(IndexChecks, TellTheFirstThreadOutsideAndAllItsIndices) {
  const std::string text = kernel(kTwo);
  for (const bool scalar : {false, true}) {
    const Outcome found = outcome(text, {.rows = 70, .columns = 9}, scalar);
    const MtFinding& finding = only_finding(found);
    EXPECT_EQ(finding.kind, MtFinding_OobGlobal);
    EXPECT_EQ(finding.site.block[0], 1u);
    EXPECT_EQ(finding.site.thread[0], 6u);
    EXPECT_TRUE(finding.stopped);
  }
  const Outcome found = outcome(text, {.rows = 70, .columns = 9});
  const MtFinding& finding = only_finding(found);
  EXPECT_EQ(finding.space, MtSpace_Global);
  EXPECT_EQ(finding.access, MtAccess_Write);
  EXPECT_EQ(finding.index_access, 5u);
  ASSERT_EQ(finding.index_count, 2u);
  EXPECT_EQ(finding.indices[0].dimension, 0u);
  EXPECT_EQ(finding.indices[0].index, 70);
  EXPECT_EQ(finding.indices[0].extent, 70);
  EXPECT_EQ(finding.indices[1].index, 7);
  EXPECT_EQ(finding.indices[1].extent, 9);
}

TEST(IndexChecks, LookAtEachDimension) {
  for (const bool scalar : {false, true}) {
    const Outcome found = outcome(kernel(kTwo), {.columns = 7}, scalar);
    EXPECT_EQ(only_finding(found).site.thread[0], 0u);
  }
}

TEST(IndexChecks, SayNothingWhereAllIsInside) {
  EXPECT_TRUE(outcome(kernel(kTwo), {}).findings.empty());
  EXPECT_TRUE(outcome(kernel(kTwo), {}, true).findings.empty());
}

TEST(IndexChecks, AreCommentsWhereNobodyAskedForThem) {
  EXPECT_TRUE(
      outcome(kernel(kTwo), {.rows = 3, .index_checks = false}).findings.empty());
}

TEST(IndexChecks, LeaveLanesOutThatDoNotExecute) {
  // Threads from 40 on go around the access, in half a warp of each block.
  const std::string guard = "setp.ge.s64 %p1, %rd4, 40;\n@%p1 bra done;\n";
  EXPECT_TRUE(outcome(kernel(kTwo, guard), {.rows = 40}).findings.empty());
  EXPECT_EQ(only_finding(outcome(kernel(kTwo, guard), {.rows = 39})).site.thread[0],
            39u);
}

TEST(IndexChecks, KindFollowsTheMemory) {
  const std::pair<const char*, MtFindingKind> kinds[] = {
      {"2", MtFinding_OobShared}, {"3", MtFinding_OobLocal}, {"4", MtFinding_OobConst}};
  for (const auto& [space, kind] : kinds) {
    const std::string text = kernel(check(std::string("0, 0, ") + space + ", 1, 9, 9"));
    for (const bool scalar : {false, true}) {
      EXPECT_EQ(only_finding(outcome(text, {}, scalar)).kind, kind);
    }
  }
}

TEST(IndexChecks, FindTheMemoryByAnAddress) {
  const std::string before =
      ".shared .align 4 .b8 tile[64];\nmov.u64 %rd9, tile;\n"
      "cvta.shared.u64 %rd10, %rd9;\n";
  const Outcome shared = outcome(kernel(check("0, 0, 0, 1, 9, 9, %rd10"), before), {});
  EXPECT_EQ(only_finding(shared).kind, MtFinding_OobShared);
  const Outcome global = outcome(kernel(check("0, 0, 0, 1, 9, 9, %rd1")), {});
  EXPECT_EQ(only_finding(global).kind, MtFinding_OobGlobal);
}

TEST(IndexChecks, AreNotCountedNorTraced) {
  const std::string text =
      kernel("cvt.u64.u32 %rd11, %r3;\n" + check("5, 0, 1, 2, %rd11, %rd2"));
  std::string without = kernel("");
  for (const std::string line :
       {"ld.param.u64 %rd2, [rows];\n", "ld.param.u64 %rd3, [columns];\n",
        "cvt.s64.s32 %rd4, %r4;\n"}) {
    without.erase(without.find(line), line.size());  // nothing else needs them
  }
  Shape shape;
  shape.checks = MtCheck_Counters | MtCheck_Trace;
  const Outcome with = outcome(text, shape);
  shape.index_checks = false;
  const Outcome plain = outcome(without, shape);
  ASSERT_TRUE(with.observed && plain.observed);
  EXPECT_EQ(totals_of(*with.observed), totals_of(*plain.observed));
  EXPECT_EQ(with.observed->trace->instruction.size(),
            plain.observed->trace->instruction.size());
}

TEST(IndexChecks, HoldForBlocksThatFollowFromTheFirst) {
  const std::string text = kernel(check("5, 0, 1, 2, %rd4, %rd2"));
  Machine machine(text, {.index_checks = true});
  const uint64_t out = machine.upload(std::vector<uint32_t>(4096));
  const Launch launch =
      machine.launch("k", {64}, {64}, out, uint64_t{64 * 40 + 3}, uint64_t{1});
  const Program& program = launch.code->program(find_engine(active_isa()), 0);
  ASSERT_NE(program.functions[launch.function].replay, nullptr);
  const Outcome outcome = run(launch);
  ASSERT_EQ(outcome.findings.size(), 1u);
  EXPECT_EQ(outcome.findings[0].site.block[0], 40u);
  EXPECT_EQ(outcome.findings[0].site.thread[0], 3u);
}

}  // namespace
}  // namespace minitorch::simt
