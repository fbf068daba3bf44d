// Tests counters: closed forms of small kernels (data/counting.cu), the plain model
// over a trace, and that nothing depends on the number of host threads.
#include <gtest/gtest.h>

#include "counting.h"

namespace minitorch::simt {
namespace {

class Counters : public testing::Test {
 protected:
  Launch strided(int stride, int start, uint32_t threads = 64) {
    const uint64_t in = machine_.upload(std::vector<float>(64 * 64, 1.0f));
    return machine_.launch("strided", {1}, {threads}, room(), in, stride, start);
  }
  uint64_t room() { return machine_.upload(std::vector<float>(4096)); }

  Machine machine_{read_ptx("simt/counting")};
};

TEST_F(Counters, TransposeConflictsWithoutPadding) {
  const uint64_t in = machine_.upload(std::vector<float>(64 * 64));
  for (const bool padded : {false, true}) {
    const Counts counts =
        count(machine_.launch(padded ? "transpose_padded" : "transpose_plain", {2, 2},
                              {32, 8}, room(), in, 64));
    const uint64_t requests = 4 * 8 * 4;  // blocks, warps, rows of each
    EXPECT_EQ(counts[MtCounter_GlobalLoadRequests], requests);
    EXPECT_EQ(counts[MtCounter_GlobalLoadSectors], requests * 4);
    EXPECT_EQ(counts[MtCounter_GlobalLoadBytes], requests * 128);
    EXPECT_EQ(counts[MtCounter_GlobalStoreRequests], requests);
    EXPECT_EQ(counts[MtCounter_GlobalStoreSectors], requests * 4);
    EXPECT_EQ(counts[MtCounter_SharedStoreRequests], requests);
    EXPECT_EQ(counts[MtCounter_SharedStoreWavefronts], requests);
    EXPECT_EQ(counts[MtCounter_SharedLoadRequests], requests);
    EXPECT_EQ(counts[MtCounter_SharedLoadWavefronts], requests * (padded ? 1 : 32));
    EXPECT_EQ(counts[MtCounter_SharedBankConflicts], requests * (padded ? 0 : 31));
    EXPECT_EQ(counts[MtCounter_SharedLoadBytes], requests * 128);
    EXPECT_EQ(counts[MtCounter_Barriers], 4u * 8);
    EXPECT_EQ(counts[MtCounter_DivergentBranches], 0u);
  }
}

TEST_F(Counters, StridedLoadsTouchMoreSectors) {
  for (const int stride : {0, 1, 2, 3, 4, 5, 8, 16, 33}) {
    const Counts counts = count(strided(stride, 0));
    // From 32 bytes on every lane has a sector of its own.
    uint64_t sectors = 0;
    for (int warp = 0; warp < 2; ++warp) {
      std::set<int> touched;
      for (int i = 0; i < 32; ++i) touched.insert((warp * 32 + i) * stride * 4 / 32);
      sectors += touched.size();
    }
    EXPECT_EQ(counts[MtCounter_GlobalLoadRequests], 2u);
    EXPECT_EQ(counts[MtCounter_GlobalLoadSectors], sectors) << stride;
    EXPECT_EQ(counts[MtCounter_GlobalStoreSectors], 2u * 4);
    EXPECT_EQ(counts[MtCounter_FlopsF32], 64u * 2);  // one fused step each
  }
  EXPECT_EQ(count(strided(1, 1))[MtCounter_GlobalLoadSectors], 2u * 5);
  EXPECT_EQ(count(strided(1, 7))[MtCounter_GlobalLoadSectors], 2u * 5);
  EXPECT_EQ(count(strided(1, 8))[MtCounter_GlobalLoadSectors], 2u * 4);
}

TEST_F(Counters, PartsOfAWarpTouchTheirShare) {
  for (const uint32_t threads : {1u, 7u, 8u, 9u, 33u, 63u}) {
    const Counts counts = count(strided(1, 0, threads));
    EXPECT_EQ(counts[MtCounter_GlobalLoadSectors], (threads + 7) / 8) << threads;
    EXPECT_EQ(counts[MtCounter_GlobalStoreBytes], threads * 4) << threads;
    EXPECT_EQ(counts[MtCounter_GlobalLoadRequests], (threads + 31) / 32) << threads;
  }
}

TEST_F(Counters, ReductionWithStridedIndicesConflicts) {
  const uint64_t in = machine_.upload(std::vector<float>(256, 1.0f));
  const Counts counts =
      count(machine_.launch("reduce_strided", {1}, {256}, room(), in));
  uint64_t requests = 0, wavefronts = 0, divergent = 0;
  for (uint64_t d = 1; d < 256; d *= 2) {
    const uint64_t threads = 128 / d, warps = (threads + 31) / 32;
    requests += warps;
    // Lanes 2 d words apart: 32 / (2 d) banks in use, one at least.
    const uint64_t lanes = std::min<uint64_t>(threads, 32);
    wavefronts +=
        warps * lanes / std::min<uint64_t>(lanes, std::max<uint64_t>(16 / d, 1));
    divergent += threads % 32 != 0;
  }
  EXPECT_EQ(counts[MtCounter_SharedLoadRequests], 2 * requests + 1);
  EXPECT_EQ(counts[MtCounter_SharedLoadWavefronts], 2 * wavefronts + 1);
  EXPECT_EQ(counts[MtCounter_SharedStoreRequests], 8 + requests);
  EXPECT_EQ(counts[MtCounter_SharedStoreWavefronts], 8 + wavefronts);
  EXPECT_EQ(counts[MtCounter_SharedBankConflicts], 3 * (wavefronts - requests));
  EXPECT_EQ(counts[MtCounter_DivergentBranches], divergent + 1);  // and the last store
  EXPECT_EQ(counts[MtCounter_Barriers], 8u * 9);
  EXPECT_EQ(counts[MtCounter_FlopsF32], 255u);
}

TEST_F(Counters, DivergenceIsCountedWhereLanesPart) {
  // Even lanes part from odd ones; of the even ones those below n from the others.
  for (const auto& [n, divergent] : {std::pair{32, 1u}, {0, 1u}, {7, 2u}}) {
    const Counts counts = count(machine_.launch("odd_even", {1}, {32}, room(), n));
    EXPECT_EQ(counts[MtCounter_DivergentBranches], divergent) << n;
    const uint64_t stored = 16 + static_cast<uint64_t>(n + 1) / 2;
    EXPECT_EQ(counts[MtCounter_GlobalStoreBytes], 4 * stored) << n;
  }
}

TEST_F(Counters, WideSharedAccessesGoByHalvesAndQuarters) {
  struct Row {
    int stride;
    uint64_t quads, doubles;  // wavefronts of the two strided loads
  };
  for (const Row& row : {Row{0, 4, 2}, {1, 4, 2}, {2, 8, 4}, {4, 16, 8}, {3, 4, 2}}) {
    const Counts counts =
        count(machine_.launch("vectors", {1}, {32}, room(), row.stride));
    EXPECT_EQ(counts[MtCounter_SharedStoreRequests], 5u);
    EXPECT_EQ(counts[MtCounter_SharedStoreWavefronts], 3u * 4 + 2 * 2);
    EXPECT_EQ(counts[MtCounter_SharedStoreBytes], 32u * (3 * 16 + 2 * 8));
    // Besides: one word for all, and doubles 16 bytes apart.
    EXPECT_EQ(counts[MtCounter_SharedLoadWavefronts], row.quads + row.doubles + 1 + 4)
        << row.stride;
    EXPECT_EQ(counts[MtCounter_SharedBankConflicts], row.quads + row.doubles - 6 + 2)
        << row.stride;
  }
}

TEST_F(Counters, AtomicsOnOneWordGoOneByOne) {
  const uint64_t out = machine_.upload(std::vector<int>(32));
  for (const bool same : {false, true}) {
    const Counts counts =
        count(machine_.launch("atomics", {1}, {32}, out, static_cast<int>(same)));
    EXPECT_EQ(counts[MtCounter_AtomicSharedRequests], 1u);
    EXPECT_EQ(counts[MtCounter_AtomicSharedWavefronts], same ? 32u : 1u);
    EXPECT_EQ(counts[MtCounter_AtomicSharedBytes], 128u);
    EXPECT_EQ(counts[MtCounter_AtomicGlobalRequests], 1u);
    EXPECT_EQ(counts[MtCounter_AtomicGlobalSectors], 4u);
    EXPECT_EQ(counts[MtCounter_SharedLoadRequests], 1u);
    EXPECT_EQ(counts[MtCounter_SharedBankConflicts], 0u);
  }
}

TEST_F(Counters, ArithmeticByType) {
  const uint64_t f = machine_.upload(std::vector<float>(64, 0.5f));
  const uint64_t d = machine_.upload(std::vector<double>(64, 0.5));
  const Counts counts = count(machine_.launch("arithmetic", {1}, {40}, f, d));
  // mul, add, fma; the scaling of the exponent and the last sum.
  EXPECT_EQ(counts[MtCounter_FlopsF32], 40u * (1 + 1 + 2 + 1 + 1));
  EXPECT_EQ(counts[MtCounter_FlopsF64], 40u * (1 + 2));
  EXPECT_EQ(counts[MtCounter_FmaF32], 40u);
  EXPECT_EQ(counts[MtCounter_FmaF64], 40u);
  EXPECT_EQ(counts[MtCounter_FmaF16], 0u);
  EXPECT_EQ(counts[MtCounter_SpecialFunctionOps], 40u);  // ex2; rcp.rn is exact
  EXPECT_EQ(counts[MtCounter_FlopsF16], 0u);
  EXPECT_EQ(counts[MtCounter_TensorOps], 0u);
}

TEST_F(Counters, LinesAddUpAndAreTheSourceLines) {
  const uint64_t in = machine_.upload(std::vector<float>(256, 1.0f));
  const auto observed = observe(
      machine_.launch("reduce_strided", {1}, {256}, room(), in), MtCheck_Counters);
  std::map<uint32_t, uint64_t> loads;
  for (const auto& [position, counts] : observed->by_position) {
    const uint32_t line =
        position == ptx::kNone ? 0 : machine_.loaded().module->positions[position].line;
    loads[line] += counts[MtCounter_SharedLoadRequests];
  }
  const Counts totals = totals_of(*observed);
  std::erase_if(loads, [](const auto& item) { return item.second == 0; });
  ASSERT_EQ(loads.size(), 2u);  // s[i] += s[i + d] and out[0] = s[0]
  EXPECT_EQ(loads.rbegin()->second, 1u);
  EXPECT_EQ(loads.begin()->second + 1, totals[MtCounter_SharedLoadRequests]);
}

TEST_F(Counters, InstructionsAreThoseThatRan) {
  const uint64_t in = machine_.upload(std::vector<float>(256, 1.0f));
  Launch launch = machine_.launch("reduce_strided", {1}, {256}, room(), in);
  launch.checks = MtCheck_Counters;
  const Outcome outcome = run(launch);
  const Counts totals = totals_of(*outcome.observed);
  EXPECT_EQ(totals[MtCounter_PtxWarpInstructions], outcome.warp_instructions);
  EXPECT_LT(totals[MtCounter_PtxInstructions], 32 * outcome.warp_instructions);
  EXPECT_LE(totals[MtCounter_ActiveLanes], totals[MtCounter_PtxInstructions]);
}

TEST(CountersOfMatmul, HoldClosedFormsWithAnyNumberOfThreads) {
  Machine machine(read_ptx("simt/matmul"));
  const uint64_t n = 96;
  const std::vector<float> values(n * n, 0.5f);
  const uint64_t a = machine.upload(values), b = machine.upload(values);
  const uint64_t c = machine.upload(values);
  const Launch launch =
      machine.launch("matmul", {6, 6}, {16, 16}, c, a, b, static_cast<int>(n));
  const Counts one = count(launch);
  EXPECT_EQ(one, count(launch, 4));
  const uint64_t steps = 36 * 8 * 6;  // blocks, warps, tiles
  EXPECT_EQ(one[MtCounter_FlopsF32], 2 * n * n * n);
  EXPECT_EQ(one[MtCounter_FmaF32], n * n * n);
  EXPECT_EQ(one[MtCounter_SharedLoadRequests], steps * 16 * 2);
  // A warp is two rows of a tile: two words of the left one, a row of the right one.
  EXPECT_EQ(one[MtCounter_SharedLoadWavefronts], steps * 16 * 2);
  EXPECT_EQ(one[MtCounter_SharedBankConflicts], 0u);
  EXPECT_EQ(one[MtCounter_GlobalLoadRequests], steps * 2);
  EXPECT_EQ(one[MtCounter_GlobalLoadSectors], steps * 2 * 4);
  EXPECT_EQ(one[MtCounter_Barriers], steps * 2);
  EXPECT_EQ(one[MtCounter_DivergentBranches], 0u);
}

TEST_F(Counters, AgreeWithThePlainModel) {
  const uint64_t in = machine_.upload(std::vector<float>(64 * 64, 1.0f));
  expect_plain_model(
      machine_.launch("transpose_plain", {2, 2}, {32, 8}, room(), in, 64));
  expect_plain_model(
      machine_.launch("transpose_padded", {2, 2}, {32, 8}, room(), in, 64));
  expect_plain_model(machine_.launch("reduce_strided", {1}, {256}, room(), in));
  for (const int stride : {0, 1, 2, 3, 5, 7, 12}) {
    expect_plain_model(machine_.launch("vectors", {1}, {32}, room(), stride));
    expect_plain_model(machine_.launch("vectors", {1}, {19}, room(), stride));
    expect_plain_model(strided(stride, 3, 45));
  }
  const uint64_t out = machine_.upload(std::vector<int>(32));
  for (const int same : {0, 1}) {
    expect_plain_model(machine_.launch("atomics", {1}, {32}, out, same));
  }
  expect_plain_model(machine_.launch("odd_even", {1}, {32}, room(), 7));
}

}  // namespace
}  // namespace minitorch::simt
