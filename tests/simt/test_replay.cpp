// Tests kernels whose blocks follow from the first one (replay_plan.h): memory and
// findings as the oracle gives them, counters as a run gives them that goes step by
// step because it is traced.
#include <gtest/gtest.h>

#include <numeric>

#include "counting.h"
#include "simt/lanes/isa.h"
#include "simt/observers/footprint/footprint.h"
#include "simt/program/code.h"
#include "simt/program/engine.h"

namespace minitorch::simt {
namespace {

constexpr uint32_t kCells = 4096;

/// A kernel k(out, in, n) whose `body` finds the thread's number in %r4, and the
/// buffers in %rd1 and %rd2.
std::string kernel(const std::string& body) {
  return module_text(
      ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n"
      ".reg .pred %p<9>;\n.reg .b32 %r<30>;\n.reg .b64 %rd<30>;\n.reg .f32 %f<20>;\n"
      "ld.param.u64 %rd1, [out];\nld.param.u64 %rd2, [in];\nld.param.u32 %r5, [n];\n"
      "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n"
      "mad.lo.s32 %r4, %r1, %r2, %r3;\n" +
      body + "\ndone:\nret;\n}\n");
}

const std::string kGuard = "setp.ge.s32 %p1, %r4, %r5;\n@%p1 bra done;\n";
const std::string kAddresses =
    "mul.wide.s32 %rd3, %r4, 4;\nadd.s64 %rd4, %rd2, %rd3;\n"
    "add.s64 %rd5, %rd1, %rd3;\n";
const std::string kMove =
    "ld.global.f32 %f1, [%rd4];\nfma.rn.f32 %f2, %f1, 0f40000000, 0f3F800000;\n"
    "st.global.f32 [%rd5], %f2;\n";

bool is_planned(const Launch& launch) {
  const Program& program = launch.code->program(find_engine(active_isa()), 0);
  return program.functions[launch.function].replay != nullptr;
}

struct Result {
  std::vector<float> memory;
  std::vector<std::tuple<int32_t, uint32_t, uint32_t, uint64_t>> findings;
  bool operator==(const Result&) const = default;
};

struct Shape {
  base::Dim3 grid = {13}, block = {64};
  int n = 800;  // of 832 threads
  uint32_t checks = 0;
  bool in_place = false;
  uint32_t first = 0;  // cell of `in` at which the kernel's begins
  size_t most_threads =
      3;  // 1 where blocks change the same cells: no order is promised
};

class Replay : public testing::Test {
 protected:
  Result result(const std::string& text, const Shape& shape, bool scalar,
                size_t threads = 1) {
    Machine machine(text);
    std::vector<float> cells(kCells);
    std::iota(cells.begin(), cells.end(), 1.0f);
    const uint64_t in = machine.upload(cells);
    const uint64_t out = shape.in_place ? in : machine.upload(cells);
    Launch launch = machine.launch("k", shape.grid, shape.block, out,
                                   in + 4 * shape.first, shape.n);
    EXPECT_EQ(is_planned(launch), planned_);
    launch.checks = shape.checks;
    launch.threads = threads;
    const Outcome outcome = scalar ? run_scalar(launch) : run(launch);
    Result made = {machine.download<float>(out, kCells), {}};
    for (const MtFinding& finding : outcome.findings) {
      made.findings.emplace_back(finding.kind, finding.site.block[0],
                                 finding.site.thread[0], finding.count);
    }
    return made;
  }
  /// The vector engine's result, which must be the oracle's.
  Result same(const std::string& text, const Shape& shape = {}) {
    const Result expected = result(text, shape, true);
    for (size_t threads = 1; threads <= shape.most_threads; ++threads) {
      const Result found = result(text, shape, false, threads);
      EXPECT_EQ(found.memory, expected.memory) << threads << " host threads";
      EXPECT_EQ(found.findings, expected.findings) << threads << " host threads";
    }
    return expected;
  }
  void same_counters(const std::string& text, const Shape& shape = {}) {
    Machine machine(text);
    const uint64_t in = machine.upload(std::vector<float>(kCells, 1.0f));
    const uint64_t out = machine.upload(std::vector<float>(kCells));
    const Launch launch = machine.launch("k", shape.grid, shape.block, out,
                                         in + 4 * shape.first, shape.n);
    const auto whole = observe(launch, MtCheck_Counters | MtCheck_Trace);
    const Counts expected = totals_of(*whole);
    const TouchedSectors touched = PlainModel(*whole->trace).touched();
    EXPECT_EQ(touched_sectors(launch), touched);
    EXPECT_EQ(touched_sectors(launch, 3), touched);
    EXPECT_EQ(touched_sectors(launch, 3, MtCheck_Counters | MtCheck_All), touched);
    EXPECT_EQ(count(launch), expected);
    EXPECT_EQ(count(launch, 3), expected);
    EXPECT_EQ(totals_of(*observe(launch, MtCheck_Counters | MtCheck_All)), expected);
  }

  bool planned_ = true;
};

TEST_F(Replay, GuardedMapWritesItsCellsOnly) {
  const std::string text = kernel(kGuard + kAddresses + kMove);
  const Result found = same(text);
  EXPECT_EQ(found.memory[799], 2 * 800.0f + 1);
  EXPECT_EQ(found.memory[800], 801.0f);
  same(text, {.n = 0});
  same(text, {.n = 10});
  same(text, {.n = 832});
  same(text, {.grid = {1}});
  same(text, {.block = {48}});
  same_counters(text);
  same_counters(text, {.n = 777});
  same_counters(text, {.first = 3});
}

TEST_F(Replay, TouchesNoSectorBetweenItsRows) {
  // 16 threads a row that are neighbours, or 32 or 64 bytes apart, in rows that begin
  // within the row before.
  for (const char* apart : {"1", "8", "16"}) {
    const std::string text =
        kernel("mov.u32 %r6, %tid.y;\nmul.lo.u32 %r7, %r3, " + std::string(apart) +
               ";\nmad.lo.u32 %r8, %r6, 34, %r7;\nmad.lo.u32 %r9, %r1, 512, %r8;\n"
               "mul.wide.s32 %rd3, %r9, 4;\nadd.s64 %rd4, %rd2, %rd3;\n"
               "add.s64 %rd5, %rd1, %rd3;\n" +
               kMove);
    same(text, {.grid = {7}, .block = {16, 4}});
    same_counters(text, {.grid = {7}, .block = {16, 4}});
  }
}

TEST_F(Replay, GuardsOfEveryForm) {
  const std::pair<const char*, const char*> tests[] = {
      {"setp.lt.s32 %p1, %r4, %r5;", "@!%p1 bra done;"},
      {"setp.le.s32 %p1, %r5, %r4;", "@%p1 bra done;"},
      {"setp.gt.u32 %p1, %r5, %r4;", "@!%p1 bra done;"},
      {"setp.hs.u32 %p1, %r4, %r5;", "@%p1 bra done;"},
      {"setp.eq.s32 %p1, %r4, %r5;", "@%p1 bra done;"},
      {"setp.lt.s32 %p1, %r4, %r5;", "@%p1 bra on;\nret;\non:"},
      {"setp.ge.s32 %p1, %r4, %r5;", "@%p1 ret;"},
      {"setp.ge.s32 %p2, %r4, %r5;\nsetp.lt.s32 %p3, %r4, 64;\n"
       "or.pred %p1, %p2, %p3;",
       "@%p1 bra done;"},
      {"setp.lt.s32 %p2, %r4, %r5;\nsetp.ge.s32 %p3, %r4, 64;\n"
       "and.pred %p1, %p2, %p3;",
       "@!%p1 bra done;"},
      {"cvt.s64.s32 %rd20, %r4;\ncvt.s64.s32 %rd21, %r5;\n"
       "setp.ge.s64 %p1, %rd20, %rd21;",
       "@%p1 bra done;"},
  };
  for (const auto& [test, branch] : tests) {
    SCOPED_TRACE(test);
    const std::string guard = std::string(test) + "\n" + branch + "\n";
    const std::string text = kernel(guard + kAddresses + kMove);
    same(text);
    same(text, {.n = 300});
  }
}

TEST_F(Replay, ComputesWithBlockNumbers) {
  same(kernel(kGuard + kAddresses +
              "cvt.rn.f32.s32 %f1, %r4;\ncvt.rn.f32.u32 %f2, %r1;\n"
              "add.rn.f32 %f3, %f1, %f2;\nld.global.f32 %f4, [%rd4];\n"
              "fma.rn.f32 %f5, %f3, %f4, %f1;\nst.global.f32 [%rd5], %f5;\n"));
}

TEST_F(Replay, BroadcastsVectorsAndDirections) {
  // The same cell for all; each block's own; backwards; 4 cells a thread.
  same(kernel(kGuard + kAddresses +
              "ld.global.f32 %f1, [%rd2+8];\nmul.wide.u32 %rd6, %r1, 4;\n"
              "add.s64 %rd7, %rd2, %rd6;\nld.global.f32 %f2, [%rd7];\n"
              "add.rn.f32 %f3, %f1, %f2;\nst.global.f32 [%rd5], %f3;\n"));
  same(
      kernel("sub.s32 %r6, 12, %r1;\nmad.lo.s32 %r7, %r6, %r2, %r3;\n"
             "mul.wide.s32 %rd3, %r7, 4;\nadd.s64 %rd4, %rd2, %rd3;\n"
             "add.s64 %rd5, %rd1, %rd3;\n" +
             kMove));
  same(
      kernel("shl.b32 %r6, %r4, 2;\nmul.wide.s32 %rd3, %r6, 4;\n"
             "add.s64 %rd4, %rd2, %rd3;\nadd.s64 %rd5, %rd1, %rd3;\n"
             "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd4];\n"
             "add.rn.f32 %f5, %f1, %f4;\n"
             "st.global.v4.f32 [%rd5], {%f4, %f5, %f2, %f1};\n"));
}

TEST_F(Replay, GridsOfThreeDimensions) {
  const std::string text = kernel(
      "mov.u32 %r6, %ctaid.y;\nmov.u32 %r7, %ctaid.z;\nmov.u32 %r8, %nctaid.x;\n"
      "mov.u32 %r9, %nctaid.y;\nmad.lo.s32 %r10, %r7, %r9, %r6;\n"
      "mad.lo.s32 %r11, %r10, %r8, %r1;\nmad.lo.s32 %r12, %r11, %r2, %r3;\n"
      "setp.ge.s32 %p2, %r12, %r5;\nsetp.ge.s32 %p3, %r4, 190;\n"
      "or.pred %p1, %p2, %p3;\n@%p1 bra done;\n"
      "mul.wide.s32 %rd3, %r12, 4;\nadd.s64 %rd4, %rd2, %rd3;\n"
      "add.s64 %rd5, %rd1, %rd3;\n" +
      kMove);
  const std::string sums = kernel(
      "mov.u32 %r6, %ctaid.y;\nmov.u32 %r7, %ctaid.z;\n"
      "mad.lo.s32 %r10, %r6, 192, %r4;\nmad.lo.s32 %r11, %r7, 576, %r10;\n"
      "setp.ge.s32 %p2, %r11, %r5;\nsetp.ge.s32 %p3, %r4, 190;\n"
      "or.pred %p1, %p2, %p3;\n@%p1 bra done;\n"
      "mul.wide.s32 %rd3, %r11, 4;\nadd.s64 %rd4, %rd2, %rd3;\n"
      "add.s64 %rd5, %rd1, %rd3;\n" +
      kMove);
  for (const std::string& each : {text, sums}) {
    same(each, {.grid = {3, 3, 4}, .n = 2000, .checks = MtCheck_All});
    same_counters(each, {.grid = {3, 3, 4}, .n = 2000});
  }
}

TEST_F(Replay, NumbersThatWrapAreNotExtrapolated) {
  // Unsigned: block 1 of 64 threads begins 16 cells before the buffer's 64th.
  const std::string down = kernel(
      "mad.lo.s32 %r6, %r1, -16, %r3;\nmul.wide.u32 %rd3, %r6, 4;\n"
      "add.s64 %rd4, %rd2, %rd3;\nadd.s64 %rd5, %rd1, %rd3;\n" +
      kMove);
  const Result wild = same(down, {.grid = {3}});
  ASSERT_EQ(wild.findings.size(), 1u);
  EXPECT_EQ(std::get<1>(wild.findings[0]), 1u);
  // The number comes back to where block 0 was.
  const std::string around = kernel(
      "mad.lo.s32 %r6, %r1, 0x40000000, %r3;\nshl.b32 %r7, %r6, 2;\n"
      "mul.wide.u32 %rd3, %r7, 4;\nadd.s64 %rd4, %rd2, %rd3;\n"
      "add.s64 %rd5, %rd1, %rd3;\n"
      "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd4];\n"
      "st.global.v4.f32 [%rd5], {%f4, %f3, %f2, %f1};\n");
  same(around, {.in_place = true, .most_threads = 1});
}

TEST_F(Replay, FaultsAreThoseOfTheFirstThread) {
  const Result found = same(kernel(kAddresses + kMove), {.grid = {80}});
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_EQ(std::get<1>(found.findings[0]), kCells / 64);
  EXPECT_EQ(std::get<2>(found.findings[0]), 0u);
}

TEST_F(Replay, RacesAreFoundAsBefore) {
  const Shape checked = {.n = 832, .checks = MtCheck_All};
  Shape in_place = checked;
  in_place.in_place = true;
  const std::string map = kernel(kGuard + kAddresses + kMove);
  EXPECT_TRUE(result(map, checked, false).findings.empty());
  EXPECT_TRUE(result(map, in_place, false).findings.empty());
  in_place.first = 64;  // each block reads what the next writes
  EXPECT_FALSE(result(map, in_place, false).findings.empty());
  in_place.first = 3000;
  EXPECT_TRUE(result(map, in_place, false).findings.empty());
  // Blocks of 64 threads at steps of 32 cells.
  const std::string overlap = kernel(
      "mad.lo.s32 %r6, %r1, 32, %r3;\nmul.wide.s32 %rd3, %r4, 4;\n"
      "mul.wide.s32 %rd6, %r6, 4;\nadd.s64 %rd4, %rd2, %rd3;\n"
      "add.s64 %rd5, %rd1, %rd6;\n" +
      kMove);
  EXPECT_FALSE(result(overlap, checked, false).findings.empty());
}

TEST_F(Replay, UnwrittenBytesAreReported) {
  const std::string text = kernel(kGuard + kAddresses + kMove);
  Machine machine(text);
  const uint64_t in = machine.memory().allocate(4 * kCells);
  machine.memory().mark_written(in, 4 * 700);
  const uint64_t out = machine.memory().allocate(4 * kCells);
  Launch launch = machine.launch("k", {13}, {64}, out, in, 800);
  launch.checks = MtCheck_UninitGlobal;
  const Outcome outcome = run(launch);
  ASSERT_EQ(outcome.findings.size(), 1u);
  EXPECT_EQ(outcome.findings[0].kind, MtFinding_UninitGlobal);
  EXPECT_EQ(outcome.findings[0].count, 100u);
  EXPECT_TRUE(machine.memory().is_written(out, 4 * 800));
  EXPECT_FALSE(machine.memory().is_written(out + 4 * 800, 1));
}

TEST_F(Replay, FootprintsHoldWhatEachAccessUses) {
  const std::string text = kernel(kGuard + kAddresses + kMove);
  const auto used = [&](uint32_t checks, int n, uint64_t* in, uint64_t* out) {
    Machine machine(text);
    *in = machine.upload(std::vector<float>(kCells));
    *out = machine.upload(std::vector<float>(kCells));
    Launch launch = machine.launch("k", {13}, {64}, *out, *in, n);
    launch.checks = kFootprintCheck | checks;
    return run(launch).footprint;
  };
  for (const int n : {800, 832, 5}) {
    uint64_t in = 0, out = 0;
    const auto found = used(0, n, &in, &out);
    ASSERT_NE(found, nullptr);
    const uint64_t end = 4 * static_cast<uint64_t>(n);
    for (uint64_t at = 0; at < end; at += 4) {
      ASSERT_TRUE(found->touches(Use::Read, in + at, in + at + 4)) << at;
      ASSERT_TRUE(found->touches(Use::Write, out + at, out + at + 4)) << at;
    }
    const uint64_t words = (end + 63) / 64 * 64;  // touches() looks at whole words
    EXPECT_FALSE(found->touches(Use::Read, in + words, in + 4 * kCells));
    EXPECT_FALSE(found->touches(Use::Write, out + words, out + 4 * kCells));
    EXPECT_FALSE(found->touches(Use::Write, in, in + 4 * kCells));
    EXPECT_FALSE(found->touches(Use::Read, out, out + 4 * kCells));
  }
}

TEST_F(Replay, OtherKernelsRunStepByStep) {
  planned_ = false;
  same(kernel(kGuard + "shr.s32 %r6, %r4, 1;\nmul.wide.s32 %rd3, %r6, 4;\n"
                       "add.s64 %rd4, %rd2, %rd3;\nld.global.f32 %f1, [%rd4];\n"
                       "mul.wide.s32 %rd6, %r4, 4;\nadd.s64 %rd5, %rd1, %rd6;\n"
                       "st.global.f32 [%rd5], %f1;\n"));
  same(kernel(kGuard + kAddresses +
              "ld.volatile.global.f32 %f1, [%rd4];\n"
              "st.global.f32 [%rd5], %f1;\n"));
  same(kernel(kAddresses +
              "mov.u32 %r6, 0;\nagain:\nadd.s32 %r6, %r6, 1;\n"
              "setp.lt.s32 %p1, %r6, 3;\n@%p1 bra again;\n" +
              kMove));
  same(kernel(kAddresses + "ld.global.f32 %f1, [%rd4];\n"
                           "setp.lt.f32 %p1, %f1, 0f42C80000;\n@%p1 bra done;\n"
                           "st.global.f32 [%rd5], %f1;\n"));
}

TEST(ReplayedBlocks, TheSecondBlockOfOneWarpHasItsOwnNumber) {
  // Block b stores 257 * i + 3 at cell i, which only its number tells.
  Machine machine(
      kernel("cvt.u64.u32 %rd3, %r4;\nmad.lo.u64 %rd4, %rd3, 8, %rd1;\n"
             "mad.lo.u32 %r6, %r4, 257, 3;\n"
             "st.global.v2.b32 [%rd4], {%r6, %r6};\n"));
  for (const uint32_t checks : {uint32_t{0}, uint32_t{MtCheck_All}}) {
    const uint64_t out = machine.upload(std::vector<uint32_t>(2 * 512, 0));
    Launch launch = machine.launch("k", {16}, {32}, out, out, uint32_t{512});
    launch.checks = checks;
    EXPECT_TRUE(is_planned(launch));
    EXPECT_TRUE(run(launch).findings.empty());
    const auto got = machine.download<uint32_t>(out, 2 * 512);
    for (uint32_t i = 0; i < 2 * 512; ++i) {
      ASSERT_EQ(got[i], i / 2 * 257 + 3) << "cell " << i << ", checks " << checks;
    }
  }
}

}  // namespace
}  // namespace minitorch::simt
