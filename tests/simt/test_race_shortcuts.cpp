// Tests where the search for races passes over an access: loads of shared memory that
// meet no store, and of global memory that is only read; and that it does not where
// that cannot be known.
#include <gtest/gtest.h>

#include "engine_run.h"
#include "simt/observers/footprint/footprint.h"
#include "simt/program/barrier_intervals.h"

namespace minitorch::simt {
namespace {

bool has(const Outcome& outcome, MtFindingKind kind) {
  for (const MtFinding& finding : outcome.findings) {
    if (finding.kind == kind) return true;
  }
  return false;
}

/// A kernel k(out, in) of 64 threads: the thread's number in %r1, 4 times it in %r2,
/// addresses of s[thread] and of out[thread] in %r3 and %rd3.
std::string kernel(const std::string& body) {
  return module_text(
      ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
      ".reg .pred %p<5>;\n.reg .b32 %r<30>;\n.reg .b64 %rd<30>;\n"
      ".shared .align 16 .b8 s[256];\n"
      "ld.param.u64 %rd1, [out];\nld.param.u64 %rd2, [in];\n"
      "mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nmov.u32 %r4, s;\n"
      "add.s32 %r3, %r4, %r2;\ncvt.u64.u32 %rd4, %r2;\nadd.s64 %rd3, %rd1, %rd4;\n" +
      body + "\nret;\n}\n");
}

Outcome run_checked(const std::string& text, uint32_t cells = 64, bool apart = true) {
  Machine machine(text);
  const uint64_t in = machine.upload(std::vector<uint32_t>(cells));
  const uint64_t out = apart ? machine.upload(std::vector<uint32_t>(cells)) : in;
  Launch launch = machine.launch("k", {1}, {64}, out, in);
  launch.checks = MtCheck_All;
  return run(launch);
}

/// Of the loads of shared memory, in order: 1 where no store is met.
std::string lone_loads(const std::string& text) {
  const auto module = ptx::decode(text);
  const ptx::Function& function = module->functions[module->find_function("k")];
  const std::vector<bool> lone = find_lone_loads(function);
  std::string marks;
  for (size_t i = 0; i < lone.size(); ++i) {
    const ptx::Opcode& opcode = function.instructions[i].opcode;
    const bool load = opcode.op == ptx::Op::Ld && opcode.space == ptx::Space::Shared;
    if (load) marks += lone[i] ? '1' : '0';
  }
  return marks;
}

const std::string kFill = "st.shared.u32 [%r3], %r1;\n";
const std::string kLoad = "ld.shared.u32 %r5, [%r3];\n";
const std::string kBarrier = "bar.sync 0;\n";

TEST(RaceShortcuts, LoadsBetweenBarriersWithoutStoresAreLone) {
  EXPECT_EQ(lone_loads(kernel(kFill + kBarrier + kLoad)), "1");
  EXPECT_EQ(lone_loads(kernel(kFill + kLoad + kBarrier + kLoad)), "01");
  EXPECT_EQ(lone_loads(kernel(kFill + kBarrier + kLoad + kFill)), "0");
  EXPECT_EQ(lone_loads(kernel(kFill + kBarrier + kLoad + kBarrier + kFill)), "1");
  // Around a loop, the store comes after the load without a barrier between.
  const std::string again = "setp.eq.s32 %p1, %r1, 99;\n@%p1 bra again;\n";
  EXPECT_EQ(lone_loads(kernel("again:\n" + kFill + kBarrier + kLoad + again)), "0");
  EXPECT_EQ(
      lone_loads(kernel("again:\n" + kFill + kBarrier + kLoad + kBarrier + again)),
      "1");
  // Barriers of some threads, or where not all come, part nothing.
  EXPECT_EQ(lone_loads(kernel(kFill + "bar.sync 0, 64;\n" + kLoad)), "0");
  EXPECT_EQ(lone_loads(kernel(kFill + "setp.eq.s32 %p1, %r1, 99;\n@%p1 bar.sync 0;\n" +
                              kLoad)),
            "0");
  EXPECT_EQ(lone_loads(kernel(kBarrier + kLoad + "st.u32 [%rd3], %r5;\n")), "0");
  EXPECT_EQ(lone_loads(kernel(kBarrier + kLoad + "red.shared.add.u32 [%r3], 1;\n")),
            "0");
  EXPECT_EQ(lone_loads(kernel(kBarrier + kLoad + "st.global.u32 [%rd3], %r5;\n")), "1");
}

TEST(RaceShortcuts, ThreadsAtDifferentBarriersMayMeetInAStretch) {
  for (const bool loads_first : {false, true}) {
    const std::string store = kBarrier + "st.shared.u32 [%r3+" +
                              (loads_first ? "-128" : "128") + "], 5;\nbra done;\n";
    const std::string load =
        kBarrier + kLoad + "st.global.u32 [%rd3], %r5;\nbra done;\n";
    const std::string text =
        kernel(kFill + kBarrier + "setp.lt.u32 %p1, %r1, 32;\n@%p1 bra low;\n" +
               (loads_first ? store : load) + "low:\n" + (loads_first ? load : store) +
               "done:\n");
    EXPECT_EQ(lone_loads(text), "1");
    const Outcome outcome = run_checked(text);
    EXPECT_TRUE(has(outcome, MtFinding_BarrierDivergence));
    EXPECT_TRUE(has(outcome, MtFinding_RaceShared)) << "loads first: " << loads_first;
  }
}

TEST(RaceShortcuts, LoneLoadsOfCellsThatNobodyWroteAreReported) {
  const std::string store = "st.global.u32 [%rd3], %r5;\n";
  const std::string half =
      "setp.lt.u32 %p1, %r1, 48;\n@%p1 st.shared.u32 [%r3], %r1;\n";
  const Outcome bad = run_checked(kernel(half + kBarrier + kLoad + store));
  ASSERT_EQ(bad.findings.size(), 1u);
  EXPECT_EQ(bad.findings[0].kind, MtFinding_UninitShared);
  EXPECT_EQ(bad.findings[0].count, 16u);
  EXPECT_EQ(bad.findings[0].site.thread[0], 48u);
  const Outcome good = run_checked(kernel(kFill + kBarrier + kLoad + store));
  EXPECT_TRUE(good.findings.empty());
}

TEST(RaceShortcuts, StoresByAnUnknownPointerMayBeAnywhere) {
  // Each thread reads the cell that the next one writes.
  const std::string read = "add.s64 %rd5, %rd2, %rd4;\nld.global.u32 %r5, [%rd5+4];\n";
  const std::string known = kernel(read + "st.global.u32 [%rd3], %r5;\n");
  EXPECT_TRUE(run_checked(known, 65).findings.empty());
  EXPECT_TRUE(has(run_checked(known, 65, false), MtFinding_RaceGlobal));
  const std::string loaded =
      kernel("ld.global.u64 %rd6, [%rd1];\n" + read +
             "add.s64 %rd7, %rd6, %rd4;\nst.global.u32 [%rd7], %r5;\n");
  Machine machine(loaded);
  const uint64_t in = machine.upload(std::vector<uint32_t>(65));
  const uint64_t out = machine.upload(std::vector<uint64_t>{in});
  Launch launch = machine.launch("k", {1}, {64}, out, in);
  launch.checks = MtCheck_All;
  EXPECT_TRUE(has(run(launch), MtFinding_RaceGlobal));
}

// Which probes stand before a load depends on what is asked for: none of them may make
// another, or the load itself, be passed over.
TEST(RaceShortcuts, AnyMixOfChecksLeavesLoadsAsTheyAre) {
  const std::string text = kernel(
      "cvt.u64.u32 %rd5, %r1;\nshl.b64 %rd6, %rd5, 4;\nadd.s64 %rd7, %rd2, %rd6;\n"
      "ld.global.u8 %r10, [%rd7];\nld.global.u16 %r11, [%rd7+2];\n"
      "ld.global.u32 %r12, [%rd7+4];\nld.global.u64 %rd8, [%rd7+8];\n"
      "ld.global.v2.u32 {%r13, %r14}, [%rd7];\n"
      "ld.global.v4.u32 {%r15, %r16, %r17, %r18}, [%rd7];\n"
      "ld.volatile.global.u32 %r19, [%rd7+4];\nld.global.nc.u32 %r20, [%rd7+12];\n"
      "ld.u32 %r21, [%rd7+8];\nld.global.u32 %r22, [%rd2];\n"
      "cvt.u32.u64 %r23, %rd8;\n"
      "add.u32 %r24, %r10, %r11;\nadd.u32 %r24, %r24, %r12;\n"
      "add.u32 %r24, %r24, %r13;\nadd.u32 %r24, %r24, %r14;\n"
      "add.u32 %r24, %r24, %r15;\nadd.u32 %r24, %r24, %r18;\n"
      "add.u32 %r24, %r24, %r19;\nadd.u32 %r24, %r24, %r20;\n"
      "add.u32 %r24, %r24, %r21;\nadd.u32 %r24, %r24, %r22;\n"
      "add.u32 %r24, %r24, %r23;\nst.global.u32 [%rd3], %r24;\n");
  std::vector<uint32_t> cells(64 * 4), expected(64);
  for (uint32_t i = 0; i < cells.size(); ++i) cells[i] = i * 2654435761u;
  for (uint32_t i = 0; i < 64; ++i) {
    const uint32_t* own = &cells[4 * i];
    expected[i] = (own[0] & 0xff) + (own[0] >> 16) + own[1] + own[0] + own[1] + own[0] +
                  own[3] + own[1] + own[3] + own[2] + cells[0] + own[2];
  }
  const uint32_t kinds[] = {
      MtCheck_UninitGlobal, MtCheck_UninitShared, MtCheck_UninitLocal, MtCheck_Race,
      MtCheck_Counters,     MtCheck_Trace,        kFootprintCheck};
  for (uint32_t mix = 0; mix < 1u << std::size(kinds); ++mix) {
    Machine machine(text);
    const uint64_t in = machine.upload(cells);
    const uint64_t out = machine.upload(std::vector<uint32_t>(64));
    Launch launch = machine.launch("k", {1}, {64}, out, in);
    for (size_t i = 0; i < std::size(kinds); ++i)
      if (mix >> i & 1) launch.checks |= kinds[i];
    EXPECT_TRUE(run(launch).findings.empty()) << mix;
    EXPECT_EQ(machine.download<uint32_t>(out, 64), expected) << mix;
  }
}

}  // namespace
}  // namespace minitorch::simt
