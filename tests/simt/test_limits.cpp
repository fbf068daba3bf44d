// What a launch may use up, and numbers that instructions take from registers: each
// mistake is named, and every launch ends.
#include <gtest/gtest.h>

#include "engine_run.h"
#include "findings/details.h"
#include "simt/run/launch_clock.h"

namespace minitorch::simt {
namespace {

MtFindingKind stopped_by(const Outcome& outcome) {
  return outcome.stopped() ? static_cast<MtFindingKind>(outcome.findings[0].kind)
                           : MtFindingKind(-1);
}

std::string entry(const std::string& name, const std::string& body) {
  return ".visible .entry " + name +
         "(.param .u64 out, .param .u32 n) {\n"
         "  .reg .pred %p<6>;\n  .reg .b32 %r<12>;\n  .reg .b64 %rd<8>;\n"
         "  .shared .align 16 .b8 tile[1024];\n"
         "  ld.param.u64 %rd1, [out];\n  ld.param.u32 %r9, [n];\n"
         "  mov.u32 %r1, %tid.x;\n  mul.wide.u32 %rd2, %r1, 4;\n"
         "  add.s64 %rd2, %rd1, %rd2;\n" +
         body + "\n  ret;\n}\n";
}

// `n` rounds that change a register, so that no state is met twice; 0: for ever.
const std::string kCount = entry("count", R"(
  mov.u32 %r2, 0;
again:
  add.s32 %r2, %r2, 1;
  setp.ne.s32 %p1, %r2, %r9;
  @%p1 bra again;
  st.global.u32 [%rd2], %r2;)");

const std::string kMeet = entry("meet", R"(
again:
  bar.sync 0;
  bra again;)");

// Until the cell, which is 0, equals the number of looks at it.
const std::string kSpin = entry("spin", R"(
  mov.u32 %r2, 0;
again:
  add.s32 %r2, %r2, 1;
  ld.volatile.global.u32 %r3, [%rd1];
  setp.ne.s32 %p1, %r3, %r2;
  @%p1 bra again;)");

class LaunchTime : public testing::Test {
 protected:
  LaunchTime() : machine_(module_text(kCount + kMeet + kSpin)) {
    out_ = machine_.upload(std::vector<int>(64, 0));
  }
  Launch late(const char* kernel, uint32_t blocks, uint32_t rounds) {
    Launch launch = machine_.launch(kernel, {blocks}, {64}, out_, rounds);
    launch.budget = 0;
    launch.time_limit = 20'000'000;
    return launch;
  }
  Machine machine_;
  uint64_t out_ = 0;
};

TEST_F(LaunchTime, ALaunchThatDoesNotGetOnIsATimeout) {
  for (const char* kernel : {"count", "meet", "spin"}) {
    for (const size_t threads : {1, 2}) {
      Launch launch = late(kernel, 1000, 0);
      launch.threads = threads;
      const Outcome outcome = run(launch);
      EXPECT_EQ(stopped_by(outcome), MtFinding_Timeout) << kernel;
      const std::string detail = outcome.findings[0].detail;
      EXPECT_NE(detail.find("0.02 s of processor time"), std::string::npos) << detail;
      EXPECT_EQ(outcome.findings[0].site.block[0], 0u) << kernel;
    }
  }
}

TEST_F(LaunchTime, RepeatableLaunchesEndAfterTheSameSteps) {
  for (const char* kernel : {"count", "meet", "spin"}) {
    Launch launch = late(kernel, 3, 0);
    launch.repeatable = true;
    const Outcome first = run(launch), second = run(launch);
    EXPECT_EQ(stopped_by(first), MtFinding_Timeout) << kernel;
    EXPECT_EQ(first.warp_instructions, second.warp_instructions) << kernel;
    EXPECT_EQ(findings::detail_text(first.findings[0]),
              findings::detail_text(second.findings[0]));
  }
}

TEST_F(LaunchTime, EachBlockThatEndsGivesTheNextItsTime) {
  // About 3 * 10^6 steps stand for 11 ms of the 20; twenty blocks have 220 ms.
  Launch launch = late("count", 20, 500'000);
  launch.repeatable = true;
  EXPECT_TRUE(run(launch).findings.empty());
  launch = late("count", 20, 5'000'000);
  launch.repeatable = true;
  EXPECT_EQ(stopped_by(run(launch)), MtFinding_Timeout);
}

TEST_F(LaunchTime, ACancelledLaunchThatOnlyMeetsAtBarriersEnds) {
  base::CancelFlag cancel;
  cancel.request();
  Launch launch = late("meet", 2, 0);
  launch.time_limit = 0;
  launch.cancel = &cancel;
  EXPECT_TRUE(run(launch).cancelled);
}

TEST_F(LaunchTime, GridsThatTakeMinutesEvenEmptyAreRefusedWithTheirNumber) {
  const Outcome outcome = run(late("count", 0x7fffffff, 1));
  EXPECT_EQ(stopped_by(outcome), MtFinding_LaunchConfig);
  const std::string detail = outcome.findings[0].detail;
  EXPECT_NE(detail.find("2147483647 blocks"), std::string::npos) << detail;
}

TEST(LaunchClock, CountsOnlyWhatIsUsedWithoutABlockEnding) {
  LaunchClock clock(2, 100);
  EXPECT_FALSE(clock.use(0, 60, 0));
  EXPECT_FALSE(clock.use(1, 40, 0));
  clock.end_block(1);
  EXPECT_FALSE(clock.use(0, 90, 0));  // not told apart: the block ended meanwhile
  EXPECT_FALSE(clock.use(1, 90, 0));
  EXPECT_FALSE(clock.use(0, 90, 0));
  EXPECT_FALSE(clock.use(0, 10, 1));  // the grid's barrier completed
  EXPECT_FALSE(clock.use(1, 100, 1));
  EXPECT_TRUE(clock.use(0, 1, 1));
  LaunchClock endless(1, 0);
  EXPECT_FALSE(endless.use(0, ~uint64_t{0}, 0));
}

MtFinding both_stop(Machine& machine, const char* kernel, uint32_t threads,
                    MtFindingKind kind) {
  const uint64_t out = machine.upload(std::vector<int>(1024, 0));
  const Launch launch = machine.launch(kernel, {1}, {threads}, out, uint32_t{3});
  const Outcome outcome = run(launch);
  EXPECT_EQ(stopped_by(outcome), kind);
  EXPECT_EQ(stopped_by(run_scalar(launch)), kind);
  return outcome.findings.empty() ? MtFinding{} : outcome.findings[0];
}

TEST(BarrierNumbers, OneWarpNamesOneBarrier) {
  Machine machine(module_text(entry("ids", R"(
  and.b32 %r2, %r1, 1;
  bar.sync %r2;)") + entry("counts", R"(
  setp.lt.u32 %p1, %r1, 16;
  selp.b32 %r2, 32, 64, %p1;
  bar.sync 1, %r2;)") + entry("reduced", R"(
  and.b32 %r2, %r1, 3;
  setp.lt.u32 %p1, %r1, 16;
  bar.red.popc.u32 %r3, %r2, %p1;)")));
  for (const char* kernel : {"ids", "counts", "reduced"}) {
    const MtFinding found = both_stop(machine, kernel, 64, MtFinding_BarrierDivergence);
    EXPECT_TRUE(found.has_other) << kernel;
    EXPECT_NE(std::string(found.detail).find("one warp name different barriers"),
              std::string::npos)
        << found.detail;
  }
}

TEST(BarrierNumbers, WarpsOfOneBarrierCountAlike) {
  Machine machine(module_text(entry("counts", R"(
  shr.u32 %r2, %r1, 5;
  shl.b32 %r2, %r2, 5;
  add.s32 %r2, %r2, 32;
  add.s32 %r2, %r2, 32;
  bar.sync 1, %r2;)") + entry("whole", R"(
  setp.lt.u32 %p1, %r1, 32;
  @%p1 bra first;
  bar.sync 1, 96;
  bra done;
first:
  bar.sync 1;
done:)")));
  const MtFinding found = both_stop(machine, "counts", 96, MtFinding_BarrierDivergence);
  EXPECT_NE(std::string(found.detail).find("96 threads here, 64 there"),
            std::string::npos)
      << found.detail;
  both_stop(machine, "whole", 96, MtFinding_BarrierDivergence);
}

TEST(BarrierNumbers, ThreadsOfBarrierSyncComeEachToTheirOwn) {
  // Of each warp 16 lanes come to barrier 0 and 16 to barrier 1.
  Machine machine(module_text(entry("own", R"(
  and.b32 %r2, %r1, 1;
  barrier.sync %r2, 32;
  st.global.u32 [%rd2], %r1;)")));
  const uint64_t out = machine.upload(std::vector<uint32_t>(64, 99));
  const Launch launch = machine.launch("own", {1}, {64}, out, uint32_t{0});
  for (const auto& runs : {run, run_scalar}) {
    EXPECT_FALSE(runs(launch).stopped());
    const auto got = machine.download<uint32_t>(out, 64);
    for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(got[i], i);
  }
}

TEST(BarrierNumbers, AVoteIsANewAddressInEachRound) {
  // Round k: 8 * (3 - k) threads vote, and all load the word at that byte offset.
  Machine machine(module_text(entry("votes", R"(
  mov.u64 %rd3, tile;
  shl.b32 %r2, %r1, 2;
  cvt.u64.u32 %rd4, %r2;
  add.s64 %rd4, %rd3, %rd4;
  st.shared.u32 [%rd4], %r1;
  bar.sync 0;
  mov.u32 %r5, 0;
again:
  shl.b32 %r6, %r9, 3;
  setp.lt.u32 %p1, %r1, %r6;
  bar.red.popc.u32 %r3, 0, %p1;
  ld.shared.u32 %r4, [%r3+)" + std::to_string(kSharedBase) +
                                                 R"(];
  mad.lo.u32 %r5, %r5, 100, %r4;
  add.s32 %r9, %r9, -1;
  setp.ne.s32 %p2, %r9, 0;
  @%p2 bra again;
  st.global.u32 [%rd2], %r5;)")));
  const uint64_t out = machine.upload(std::vector<uint32_t>(32, 0));
  const Launch launch = machine.launch("votes", {1}, {32}, out, uint32_t{3});
  for (const auto& runs : {run, run_scalar}) {
    const Outcome outcome = runs(launch);
    EXPECT_TRUE(outcome.findings.empty()) << outcome.findings[0].detail;
    // Words 6, 4 and 2: the offsets are 24, 16 and 8 bytes.
    for (const uint32_t got : machine.download<uint32_t>(out, 32))
      EXPECT_EQ(got, 60402u);
  }
}

TEST(BranchTables, AnIndexPastTheTableIsAWildPointer) {
  Machine machine(module_text(entry("jump", R"(
  bra start;
targets: .branchtargets one, two;
start:
  shl.b32 %r2, %r1, 1;
  brx.idx %r2, targets;
one:
  bra done;
two:
  st.global.u32 [%rd2], %r1;
done:)")));
  const MtFinding found = both_stop(machine, "jump", 32, MtFinding_WildPointer);
  EXPECT_STREQ(found.detail, "a branch by index 2 into a table of 2 targets");
  EXPECT_EQ(found.site.thread[0], 1u);
}

TEST(CallFrames, LocalMemoryOfCalleesCannotWrapAround) {
  Machine machine(module_text(R"(
.func deep() {
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  .local .align 16 .b8 big[4294967025];
  mov.u64 %rd1, big;
  mov.u32 %r1, 1;
  st.local.u32 [%rd1+1048576], %r1;
  ret;
}
)" + entry("caller", R"(
  .local .align 16 .b8 own[256];
  mov.u64 %rd3, own;
  st.local.u32 [%rd3], %r1;
  { call.uni deep, (); })")));
  both_stop(machine, "caller", 32, MtFinding_StackOverflow);
}

TEST(CallFrames, SharedMemoryOfAFunctionThatWasNotMeantIsOutside) {
  // The call passes one number, `two` takes two: its tile is not the launch's.
  Machine machine(module_text(R"(
.func two(.param .u32 a, .param .u32 b) {
  .reg .b32 %r<4>;
  .shared .align 16 .b8 big[30000];
  mov.u32 %r1, 7;
  st.shared.u32 [big+29984], %r1;
  ret;
}
.func one(.param .u32 a) { ret; }
)" + entry("caller", R"(
  mov.u64 %rd3, two;
  { .param .u32 p0; st.param.u32 [p0], %r1;
  proto: .callprototype _ (.param .u32 _);
  call %rd3, (p0), proto; })")));
  const uint64_t out = machine.upload(std::vector<int>(32, 0));
  const Outcome outcome = run(machine.launch("caller", {1}, {32}, out, uint32_t{0}));
  EXPECT_TRUE(outcome.stopped());
}

TEST(ParameterAddresses, HighBitsAreNotLost) {
  Machine machine(module_text(entry("far", R"(
  mov.u64 %rd3, 0;
  ld.param.u32 %r2, [%rd3+9223372036854775810];
  st.global.u32 [%rd2], %r2;)")));
  both_stop(machine, "far", 32, MtFinding_OobConst);
}

TEST(ParameterAddresses, GenericOnesReadTheParameters) {
  // What NVRTC makes of a __grid_constant__ array, in one of its two ways.
  Machine machine(module_text(R"(
.visible .entry pick(.param .u64 out, .param .align 4 .b8 table[20], .param .u32 i) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [out];
  mov.b64 %rd2, table;
  cvta.param.u64 %rd3, %rd2;
  ld.param.u32 %r1, [i];
  mul.wide.s32 %rd4, %r1, 4;
  add.s64 %rd5, %rd3, %rd4;
  ld.u32 %r2, [%rd5+4];
  st.global.u32 [%rd1], %r2;
  ret;
})"));
  const uint64_t out = machine.upload(std::vector<uint32_t>(1, 0));
  struct Table {
    uint32_t cells[5] = {10, 11, 12, 13, 14};
  };
  for (const int32_t index : {0, 2, 3, 4, 100, -1, -2, -1000}) {
    Launch launch = machine.launch("pick", {1}, {32}, out);
    const Table table;
    const auto* bytes = reinterpret_cast<const uint8_t*>(&table);
    launch.parameters.insert(launch.parameters.end(), bytes, bytes + sizeof table);
    const auto* number = reinterpret_cast<const uint8_t*>(&index);
    launch.parameters.insert(launch.parameters.end(), number, number + 4);
    const bool inside = index >= -1 && index < 4;
    const Outcome outcome = run(launch);
    EXPECT_EQ(stopped_by(outcome), inside ? MtFindingKind(-1) : MtFinding_OobConst)
        << index;
    if (!inside) continue;
    EXPECT_EQ(machine.download<uint32_t>(out, 1)[0],
              11u + static_cast<uint32_t>(index));
    EXPECT_FALSE(run_scalar(launch).stopped());
    EXPECT_EQ(machine.download<uint32_t>(out, 1)[0],
              11u + static_cast<uint32_t>(index));
  }
}

TEST(Declarations, SizesThatWouldTakeTheHostsMemoryAreRefused) {
  const auto refuses = [](const std::string& text, const std::string& word) {
    try {
      ptx::decode(module_text(text));
      ADD_FAILURE() << text;
    } catch (const ptx::PtxError& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos)
          << error.what();
    }
  };
  refuses(".shared .align 1073741824 .b8 tile[4];", "aligned to 1073741824");
  refuses(".global .b8 a[2][8589934592] = {{1},{2}};", "within 1 GiB");
  std::string parameters, names;
  for (int i = 0; i < 200; ++i) {
    const std::string name = "p" + std::to_string(i);
    parameters += ".param .align 8 .b8 " + name + "[1000000];\n";
    names += (i ? ", " : "") + name;
  }
  refuses(entry("huge", "{ " + parameters + "mov.u64 %rd3, 1;\ncall %rd3, (" + names +
                            "), proto;\nproto: .callprototype _ ();\n }"),
          "more than 1 MiB");
}

}  // namespace
}  // namespace minitorch::simt
