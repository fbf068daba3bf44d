// Whole kernels as the compiler makes them, against the same arithmetic on the host.
#include <gtest/gtest.h>

#include <cmath>

#include "engine_run.h"

namespace minitorch::simt {
namespace {

std::vector<float> ramp(size_t count, float scale) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) {
    values[i] = scale * static_cast<float>(static_cast<int>(i * 7919 % 257) - 128);
  }
  return values;
}

class FirstKernels : public testing::TestWithParam<size_t> {};

TEST_P(FirstKernels, MapComputesEveryCell) {
  Machine machine(read_ptx("simt/map"));
  const int n = static_cast<int>(GetParam());
  const auto in = ramp(GetParam(), 0.25f);
  const uint64_t from = machine.upload(in);
  const uint64_t to = machine.memory().allocate(in.size() * 4);
  const uint32_t blocks = static_cast<uint32_t>((in.size() + 255) / 256);
  const Outcome outcome = machine.run_kernel("map", {blocks}, {256}, to, from, n);
  ASSERT_TRUE(outcome.findings.empty()) << outcome.findings[0].detail;
  EXPECT_EQ(outcome.blocks, blocks);
  const auto out = machine.download<float>(to, in.size());
  for (size_t i = 0; i < in.size(); ++i) {
    ASSERT_EQ(out[i], std::fma(in[i], 2.0f, 1.0f)) << i;
  }
  EXPECT_TRUE(machine.memory().is_written(to, in.size() * 4));
}

TEST_P(FirstKernels, ReduceAddsEachBlockAsATree) {
  Machine machine(read_ptx("simt/reduce"));
  const int n = static_cast<int>(GetParam());
  const auto in = ramp(GetParam(), 0.5f);
  const uint32_t blocks = static_cast<uint32_t>((in.size() + 255) / 256);
  const uint64_t from = machine.upload(in);
  const uint64_t to = machine.memory().allocate(blocks * 4);
  const Outcome outcome = machine.run_kernel("reduce", {blocks}, {256}, to, from, n);
  ASSERT_TRUE(outcome.findings.empty()) << outcome.findings[0].detail;
  const auto out = machine.download<float>(to, blocks);
  for (uint32_t block = 0; block < blocks; ++block) {
    float cells[256];
    for (uint32_t t = 0; t < 256; ++t) {
      const size_t i = block * 256 + t;
      cells[t] = i < in.size() ? in[i] : 0.0f;
    }
    for (uint32_t d = 128; d > 0; d /= 2) {
      for (uint32_t t = 0; t < d; ++t) cells[t] += cells[t + d];
    }
    ASSERT_EQ(out[block], cells[0]) << block;
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, FirstKernels,
                         testing::Values(1, 31, 32, 33, 255, 256, 257, 10007));

class Matmul : public testing::TestWithParam<int> {};

TEST_P(Matmul, TiledEqualsTheSumInOrder) {
  Machine machine(read_ptx("simt/matmul"));
  const int n = GetParam();
  const size_t cells = static_cast<size_t>(n) * static_cast<size_t>(n);
  const auto a = ramp(cells, 0.125f), b = ramp(cells, 0.3f);
  const uint64_t at_a = machine.upload(a), at_b = machine.upload(b);
  const uint64_t at_c = machine.memory().allocate(cells * 4);
  const uint32_t tiles = static_cast<uint32_t>((n + 15) / 16);
  const Outcome outcome =
      machine.run_kernel("matmul", {tiles, tiles}, {16, 16}, at_c, at_a, at_b, n);
  ASSERT_TRUE(outcome.findings.empty()) << outcome.findings[0].detail;
  const auto c = machine.download<float>(at_c, cells);
  for (int row = 0; row < n; ++row) {
    for (int column = 0; column < n; ++column) {
      float sum = 0;
      for (int k = 0; k < n; ++k) {
        sum = std::fma(a[static_cast<size_t>(row * n + k)],
                       b[static_cast<size_t>(k * n + column)], sum);
      }
      ASSERT_EQ(c[static_cast<size_t>(row * n + column)], sum) << row << ' ' << column;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Matmul, testing::Values(1, 15, 16, 17, 32, 61));

}  // namespace
}  // namespace minitorch::simt
