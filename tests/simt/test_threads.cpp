// Threads that work together: locks, flags between blocks, atomics, calls, warp
// operations, printf. Expected values are computed on the host.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "engine_run.h"

namespace minitorch::simt {
namespace {

class Threads : public testing::TestWithParam<size_t> {
 protected:
  Threads() : machine_(read_ptx("simt/threads")) {}

  template <class... Values>
  void run_clean(const char* kernel, base::Dim3 grid, base::Dim3 block,
                 const Values&... values) {
    Launch launch = machine_.launch(kernel, grid, block, values...);
    launch.threads = GetParam();
    const Outcome outcome = run(launch);
    ASSERT_TRUE(outcome.findings.empty())
        << outcome.findings[0].kind << ' ' << outcome.findings[0].detail << " line "
        << outcome.findings[0].site.position.line;
  }
  Machine machine_;
};

TEST_P(Threads, PerLaneSpinLocksFinish) {
  const uint64_t cells = machine_.upload(std::vector<int>(64, 0));
  run_clean("spin_lock", {3}, {64}, cells, cells + 128);
  EXPECT_EQ(machine_.download<int>(cells + 128, 1)[0], 192);
}

TEST_P(Threads, BlocksThatWaitForEachOtherFinish) {
  const uint64_t arrived = machine_.upload(std::vector<int>(1, 0));
  const uint64_t out = machine_.upload(std::vector<int>(16 * 32, 0));
  run_clean("grid_barrier", {16}, {32}, arrived, out);
  EXPECT_EQ(machine_.download<int>(out, 512), std::vector<int>(512, 16));
}

TEST_P(Threads, AChainedScanOverManyBlocksFinishes) {
  const uint64_t out = machine_.upload(std::vector<int>(300, 0));
  const uint64_t state = machine_.upload(std::vector<int>(300, 0));
  run_clean("chained_scan", {300}, {32}, out, state);
  const auto sums = machine_.download<int>(out, 300);
  for (int i = 0; i < 300; ++i)
    ASSERT_EQ(sums[static_cast<size_t>(i)], (i + 1) * (i + 2) / 2);
}

TEST_P(Threads, AtomicsOfManyBlocksLoseNothing) {
  std::vector<int> in(100003), expected(37, 0);
  for (size_t i = 0; i < in.size(); ++i) {
    in[i] = static_cast<int>(i * i % 37);
    ++expected[static_cast<size_t>(in[i])];
  }
  const uint64_t at = machine_.upload(in);
  const uint64_t bins = machine_.upload(std::vector<int>(37, 0));
  run_clean("histogram", {50}, {128}, bins, at, static_cast<int>(in.size()));
  EXPECT_EQ(machine_.download<int>(bins, 37), expected);
}

TEST_P(Threads, EveryAtomicOperationCombines) {
  const uint64_t i = machine_.upload(std::vector<int>(4, 0));
  const uint64_t u = machine_.upload(std::vector<unsigned>{0, 0, 0, ~0u, 0});
  const uint64_t f = machine_.upload(std::vector<float>(1, 0));
  const uint64_t d = machine_.upload(std::vector<double>(1, 0));
  const uint64_t l = machine_.upload(std::vector<uint64_t>(1, 0));
  run_clean("atomics", {2}, {64}, i, u, f, d, l);
  EXPECT_EQ(machine_.download<int>(i, 4), (std::vector<int>{4032, 63, -63, -4032}));
  // 128 increments that wrap after 10: 128 mod 11; decrements run 10, 9, ... 0.
  EXPECT_EQ(machine_.download<unsigned>(u, 5),
            (std::vector<unsigned>{128 % 11, 10 - 127 % 11, ~0u, 0, 0}));
  EXPECT_EQ(machine_.download<float>(f, 1)[0], 64.0f);
  EXPECT_EQ(machine_.download<double>(d, 1)[0], 32.0);
  EXPECT_EQ(machine_.download<uint64_t>(l, 1)[0], uint64_t{128} << 33);
}

TEST_P(Threads, RecursionGivesEachLaneItsOwnFrames) {
  const uint64_t out = machine_.upload(std::vector<int>(64, 0));
  run_clean("recursion", {1}, {64}, out);
  const int expected[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
  const auto got = machine_.download<int>(out, 64);
  for (size_t t = 0; t < 64; ++t) ASSERT_EQ(got[t], expected[t % 12]) << t;
}

TEST_P(Threads, IndirectCallsGoWhereEachLaneWants) {
  std::vector<float> in(64);
  for (size_t i = 0; i < 64; ++i) in[i] = static_cast<float>(i) * 0.5f;
  const uint64_t at = machine_.upload(in);
  const uint64_t out = machine_.upload(std::vector<float>(64, 0));
  run_clean("indirect", {1}, {64}, out, at);
  const auto got = machine_.download<float>(out, 64);
  for (size_t t = 0; t < 64; ++t) {
    const float x = in[t];
    ASSERT_EQ(got[t], (t % 3 == 0 ? x * x * x : x * x) + 1.0f) << t;
  }
}

TEST_P(Threads, PrintfFormatsAsOnTheHost) {
  run_clean("print", {1}, {32}, 3, 2.5f);
  EXPECT_EQ(machine_.printed(),
            "t=0 a= 2.50 text 0 ff|q%\n"
            "t=1 a= 2.50 text -5 100|q%\n"
            "t=2 a= 2.50 text -10 101|q%\n");
}

TEST_P(Threads, PrintfBeyondAMegabyteIsCutWithANote) {
  Launch launch = machine_.launch("print_much", {1}, {32}, 3000);
  launch.threads = GetParam();
  const Outcome outcome = run(launch);
  ASSERT_EQ(outcome.findings.size(), 1u);
  EXPECT_EQ(outcome.findings[0].kind, MtFinding_OutputLimit);
  EXPECT_EQ(outcome.findings[0].severity, 0);
  EXPECT_LE(machine_.printed().size(), size_t{1} << 20);
  EXPECT_GT(machine_.printed().size(), (size_t{1} << 20) - 100);
}

TEST_P(Threads, DeviceMallocGivesMemory) {
  const uint64_t out = machine_.upload(std::vector<int>(64, 0));
  run_clean("heap", {2}, {32}, out);
  const auto got = machine_.download<int>(out, 32);
  for (size_t t = 0; t < 32; ++t) ASSERT_EQ(got[t], static_cast<int>(4 * t));
}

TEST_P(Threads, BranchesOfManyWaysJoinAgain) {
  std::vector<int> in(256);
  for (size_t i = 0; i < 256; ++i) in[i] = static_cast<int>(i * 11 % 9);
  const uint64_t at = machine_.upload(in);
  const uint64_t out = machine_.upload(std::vector<int>(256, 0));
  run_clean("switching", {2}, {128}, out, at);
  const auto got = machine_.download<int>(out, 256);
  for (int t = 0; t < 256; ++t) {
    const int ways[] = {t, t * 3 + in[1], t ^ 77, t - 1000, in[0] - t, t / 3, ~t, -1,
                        -1};
    ASSERT_EQ(got[static_cast<size_t>(t)], ways[in[static_cast<size_t>(t)]]) << t;
  }
}

TEST_P(Threads, LoopsWithTheirOwnTripCountsAgree) {
  std::vector<int> in(500);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i) + 1;
  const uint64_t at = machine_.upload(in);
  const uint64_t out = machine_.upload(std::vector<int>(512, 0));
  run_clean("collatz", {4}, {125}, out, at);
  const auto got = machine_.download<int>(out, 500);
  for (size_t t = 0; t < 500; ++t) {
    int64_t n = in[t];
    int steps = 0;
    for (; n != 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    ASSERT_EQ(got[t], steps) << t;
  }
}

TEST_P(Threads, WarpOperationsExchangeValues) {
  const uint64_t out = machine_.upload(std::vector<unsigned>(96 * 8, 0));
  run_clean("warp_ops", {1}, {96}, out);
  const auto got = machine_.download<unsigned>(out, 96 * 8);
  for (unsigned t = 0; t < 96; ++t) {
    const unsigned lane = t % 32, warp = t / 32;
    const unsigned* row = &got[t * 8];
    unsigned ballot = 0, match = 0;
    for (unsigned i = 0; i < 32; ++i) {
      ballot |= (warp * 32 + i) % 3 == 0 ? 1u << i : 0;
      match |= i / 5 == lane / 5 ? 1u << i : 0;
    }
    EXPECT_EQ(row[0], 496u);
    EXPECT_EQ(row[1], lane % 8 >= 3 ? lane - 3 : lane);
    EXPECT_EQ(row[2], lane % 16 < 14 ? lane + 2 : lane);
    EXPECT_EQ(row[3], ballot);
    EXPECT_EQ(row[4], match);
    EXPECT_EQ(row[5], warp < 2 ? 1u : 0u);
    EXPECT_EQ(row[6], warp == 1 ? 1u : 0u);
    EXPECT_EQ(row[7], lane < 20 ? 14u + 20u : 0u) << lane;
  }
}

TEST_P(Threads, NamedBarriersAndReductionsCount) {
  const uint64_t out = machine_.upload(std::vector<int>(128, 0));
  run_clean("named_barriers", {2}, {128}, out);
  const auto got = machine_.download<int>(out, 67);
  for (int t = 0; t < 64; ++t) ASSERT_EQ(got[static_cast<size_t>(t)], (64 + t) * 2);
  EXPECT_EQ(got[64], 5);
  EXPECT_EQ(got[65], 1);
  EXPECT_EQ(got[66], 1);
}

INSTANTIATE_TEST_SUITE_P(HostThreads, Threads, testing::Values(1, 2, 3));

}  // namespace
}  // namespace minitorch::simt
