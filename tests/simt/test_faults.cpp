// Every mistake a kernel can make ends with one report that names line, block and
// thread, the same with any number of host threads; the machine stays usable.
#include <gtest/gtest.h>

#include <cstring>

#include "engine_run.h"

namespace minitorch::simt {
namespace {

struct Expected {
  MtFindingKind kind;
  int32_t line;
  uint32_t block, thread;
  bool stopped = true;
};

void expect_report(const Launch& launch, const Expected& expected) {
  for (size_t threads = 1; threads <= 4; ++threads) {
    Launch again = launch;
    again.threads = threads;
    const Outcome outcome = run(again);
    ASSERT_GE(outcome.findings.size(), 1u) << "threads " << threads;
    const MtFinding& finding = outcome.findings[0];
    EXPECT_EQ(finding.kind, expected.kind) << finding.detail;
    EXPECT_EQ(finding.site.position.line, expected.line);
    EXPECT_STREQ(finding.site.position.file, "/kernels/faults.cu");
    EXPECT_EQ(finding.site.block[0], expected.block) << "threads " << threads;
    EXPECT_EQ(finding.site.thread[0], expected.thread);
    EXPECT_EQ(finding.stopped != 0, expected.stopped);
    EXPECT_EQ(finding.severity, 2);
  }
}

class Faults : public testing::Test {
 protected:
  Faults() : machine_(read_ptx("simt/faults")) {
    cells_ = machine_.upload(std::vector<int32_t>(64, 7));
    machine_.memory().set_label(cells_, "cells");
  }
  Machine machine_;
  uint64_t cells_ = 0;
};

TEST_F(Faults, WritePastTheEndNamesTheFirstBlockThatDoes) {
  const Launch launch = machine_.launch("past_end", {100}, {48}, cells_);
  expect_report(launch, {MtFinding_OobGlobal, 4, 1, 16});
  const MtFinding finding = run(launch).findings[0];
  EXPECT_EQ(finding.space, MtSpace_Global);
  EXPECT_EQ(finding.access, MtAccess_Write);
  EXPECT_EQ(finding.size, 4u);
  EXPECT_EQ(finding.address, cells_ + 256);
  EXPECT_EQ(finding.allocation_base, cells_);
  EXPECT_EQ(finding.allocation_size, 256u);
  EXPECT_EQ(finding.allocation_offset, 256);
  EXPECT_EQ(finding.parameter_index, 0);
  EXPECT_STREQ(finding.allocation_label, "cells");
  EXPECT_STREQ(finding.kernel, "past_end");
  uint64_t argument = 0;
  ASSERT_EQ(finding.parameter_bytes, sizeof argument);
  std::memcpy(&argument, finding.parameters, sizeof argument);
  EXPECT_EQ(argument, cells_);
  // Blocks before the faulty one have run: the first 48 cells are written.
  EXPECT_EQ(machine_.download<float>(cells_, 48), std::vector<float>(48, 1.0f));
}

TEST_F(Faults, ReadBeforeTheStartHasANegativeOffset) {
  const uint64_t in = machine_.upload(std::vector<float>(64, 1.0f));
  const Launch launch = machine_.launch("read_before", {1}, {32}, cells_, in);
  expect_report(launch, {MtFinding_OobGlobal, 8, 0, 0});
  const MtFinding finding = run(launch).findings[0];
  EXPECT_EQ(finding.allocation_offset, -4);
  EXPECT_EQ(finding.parameter_index, 1);
  EXPECT_EQ(finding.access, MtAccess_Read);
}

TEST_F(Faults, MisalignedNullWildFreedAndReadOnlyAreToldApart) {
  expect_report(machine_.launch("misaligned", {1}, {8}, cells_),
                {MtFinding_Misaligned, 12, 0, 1});
  const int n = 32;
  expect_report(machine_.launch("copy", {1}, {32}, uint64_t{0}, cells_, n),
                {MtFinding_NullPointer, 16, 0, 0});
  expect_report(machine_.launch("copy", {1}, {32}, uint64_t{0x1234567890a0}, cells_, n),
                {MtFinding_WildPointer, 16, 0, 0});
  const uint64_t gone = machine_.upload(std::vector<int>(32, 1));
  machine_.memory().release(gone);
  expect_report(machine_.launch("copy", {2}, {16}, cells_, gone, n),
                {MtFinding_UseAfterFree, 16, 0, 0});
  const uint64_t constant = machine_.memory().allocate(128, Allocation::Kind::Constant);
  expect_report(machine_.launch("copy", {1}, {32}, constant, cells_, n),
                {MtFinding_ReadonlyWrite, 16, 0, 0});
}

TEST_F(Faults, OtherSpacesHaveBounds) {
  const Launch launch = machine_.launch("shared_past_end", {1}, {32}, cells_, 8);
  expect_report(launch, {MtFinding_OobShared, 22, 0, 24});
  const MtFinding finding = run(launch).findings[0];
  EXPECT_STREQ(finding.allocation_label, "cells");
  EXPECT_EQ(finding.allocation_size, 128u);
  EXPECT_EQ(finding.allocation_offset, 128);
  expect_report(machine_.launch("constant_past_end", {1}, {32}, cells_),
                {MtFinding_OobConst, 26, 0, 16});
  expect_report(machine_.launch("local_past_end", {1}, {32}, cells_, 5, 1 << 20),
                {MtFinding_OobLocal, 31, 0, 0});
}

TEST_F(Faults, CalledAndInlinedFunctionsNameTheirCaller) {
  for (const char* kernel : {"in_function", "in_inlined"}) {
    const bool called = kernel[3] == 'f';
    const Launch launch = machine_.launch(kernel, {1}, {64}, cells_);
    expect_report(launch, {MtFinding_OobGlobal, called ? 35 : 41, 0, 32});
    const MtSite site = run(launch).findings[0].site;
    ASSERT_EQ(site.inlined_count, 1);
    EXPECT_EQ(site.inlined_from[0].line, called ? 38 : 44);
  }
}

TEST_F(Faults, DivisionByZeroIsReportedAndDoesNotStop) {
  std::vector<int> by(32, 4);
  by[5] = by[9] = 0;
  const uint64_t at = machine_.upload(by);
  const Launch launch = machine_.launch("divide", {1}, {32}, cells_, at);
  expect_report(launch, {MtFinding_DivByZero, 47, 0, 5, false});
  EXPECT_EQ(run(launch).findings[0].count, 2u);
  EXPECT_EQ(machine_.download<int>(cells_, 5), std::vector<int>(5, 25));
}

TEST_F(Faults, TrapRecursionAndEndlessLoopsEnd) {
  std::vector<int> values(32, 1);
  values[11] = 5;
  const uint64_t at = machine_.upload(values);
  expect_report(machine_.launch("trapped", {1}, {32}, at), {MtFinding_Trap, 50, 0, 11});
  expect_report(machine_.launch("endless_recursion", {1}, {1}, at),
                {MtFinding_StackOverflow, 54, 0, 0});
}

TEST_F(Faults, ALoopThatUsesUpItsBudgetIsATimeout) {
  const uint64_t zero = machine_.upload(std::vector<int>(1, 0));
  Launch launch = machine_.launch("endless_loop", {3}, {32}, zero);
  launch.budget = 64;  // used up before the spinning could be called a deadlock
  expect_report(launch, {MtFinding_Timeout, 60, 0, 0});
}

TEST_F(Faults, SpinningForWhatNobodyWritesIsADeadlock) {
  const uint64_t zero = machine_.upload(std::vector<int>(1, 0));
  expect_report(machine_.launch("endless_loop", {3}, {64}, zero),
                {MtFinding_Deadlock, 60, 0, 0});
}

TEST_F(Faults, ALoopThatRepeatsItsStateIsATimeout) {
  expect_report(machine_.launch("stuck_search", {2}, {32}, cells_, 3),
                {MtFinding_Timeout, 112, 0, 0});
}

TEST_F(Faults, DivergentBarriersAreReportedWithBothSites) {
  const Launch launch = machine_.launch("one_branch_barrier", {1}, {64}, cells_);
  expect_report(launch, {MtFinding_BarrierDivergence, 67, 0, 0, false});
  const MtFinding one = run(launch).findings[0];
  EXPECT_TRUE(one.has_other);
  EXPECT_EQ(one.other.thread[0], 16u);

  expect_report(machine_.launch("two_barriers", {1}, {64}, cells_),
                {MtFinding_BarrierDivergence, 78, 0, 32, false});
  const MtFinding two =
      run(machine_.launch("two_barriers", {1}, {64}, cells_)).findings[0];
  EXPECT_TRUE(two.has_other);
  EXPECT_EQ(two.other.position.line, 75);
  EXPECT_EQ(two.other.thread[0], 0u);
}

TEST_F(Faults, NamedBarriersThatWaitForEachOtherAreADeadlock) {
  expect_report(machine_.launch("named_deadlock", {1}, {64}, cells_),
                {MtFinding_Deadlock, 85, 0, 0});
}

TEST_F(Faults, WarpOperationsNeedTheirLanes) {
  expect_report(machine_.launch("not_in_mask", {1}, {32}, cells_),
                {MtFinding_WarpSync, 93, 0, 16});
  const Launch launch = machine_.launch("lane_never_comes", {1}, {32}, cells_);
  expect_report(launch, {MtFinding_WarpSync, 99, 0, 0});
  const MtFinding finding = run(launch).findings[0];
  EXPECT_TRUE(finding.has_other);
  EXPECT_EQ(finding.other.thread[0], 16u);
}

TEST_F(Faults, ThreadsThatExitedNeedNotComeToABarrier) {
  const Outcome outcome =
      machine_.run_kernel("early_exit_barrier", {2}, {64}, cells_, 40);
  // Both blocks: a note, since it is not always meant so.
  ASSERT_EQ(outcome.findings.size(), 1u);
  const MtFinding& note = outcome.findings[0];
  EXPECT_EQ(note.kind, MtFinding_BarrierDivergence);
  EXPECT_EQ(note.severity, 0);
  EXPECT_EQ(note.stopped, 0);
  EXPECT_EQ(note.count, 2u);
  EXPECT_EQ(note.site.position.line, 106);
  EXPECT_EQ(note.other.position.line, 108);
  const auto out = machine_.download<int>(cells_, 40);
  for (int i = 0; i < 40; ++i) EXPECT_EQ(out[static_cast<size_t>(i)], 39 - i);
}

TEST_F(Faults, UninitialisedReadsAreCountedWhenAskedFor) {
  const uint64_t fresh = machine_.memory().allocate(256);
  machine_.memory().mark_written(fresh, 64);
  Launch launch = machine_.launch("copy", {2}, {32}, cells_, fresh, 64);
  EXPECT_TRUE(run(launch).findings.empty());
  launch.checks = MtCheck_UninitGlobal;
  expect_report(launch, {MtFinding_UninitGlobal, 16, 0, 16, false});
  const Outcome outcome = run(launch);
  ASSERT_EQ(outcome.findings.size(), 1u);
  EXPECT_EQ(outcome.findings[0].count, 48u);
  EXPECT_EQ(outcome.findings[0].address, fresh + 64);
}

TEST_F(Faults, ACancelledLaunchEnds) {
  base::CancelFlag cancel;
  cancel.request();
  const uint64_t zero = machine_.upload(std::vector<int>(1, 0));
  Launch launch = machine_.launch("endless_loop", {8}, {64}, zero);
  launch.cancel = &cancel;
  launch.budget = 0;
  launch.threads = 2;
  EXPECT_TRUE(run(launch).cancelled);
}

}  // namespace
}  // namespace minitorch::simt
