// The tests of the random numbers against the published test vectors and moments.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "cpu/random.h"

namespace minitorch::cpu {
namespace {

// Known answers of Philox 4x32-10 published with Random123 (kat_vectors): all zeros.
TEST(Philox, GivesThePublishedWordsForZeros) {
  const std::array<uint32_t, 4> expected = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c,
                                            0x9b00dbd8};
  EXPECT_EQ(philox(0, 0), expected);
}

TEST(Random, UniformFillsTheUnitIntervalEvenly) {
  std::vector<double> x(200001);
  fill_uniform(7, 0, x.data(), static_cast<int64_t>(x.size()));
  double sum = 0, squares = 0;
  for (double v : x) {
    ASSERT_TRUE(v >= 0 && v < 1);
    sum += v;
    squares += v * v;
  }
  const auto n = static_cast<double>(x.size());
  EXPECT_NEAR(sum / n, 0.5, 0.003);
  EXPECT_NEAR(squares / n, 1.0 / 3, 0.003);
}

TEST(Random, NormalHasMeanZeroAndVarianceOne) {
  std::vector<double> x(200001);
  fill_normal(7, 0, x.data(), static_cast<int64_t>(x.size()));
  double sum = 0, squares = 0, fourth = 0;
  for (double v : x) {
    sum += v;
    squares += v * v;
    fourth += v * v * v * v;
  }
  const auto n = static_cast<double>(x.size());
  EXPECT_NEAR(sum / n, 0, 0.01);
  EXPECT_NEAR(squares / n, 1, 0.02);
  EXPECT_NEAR(fourth / n, 3, 0.15);
}

TEST(Random, ContinuesWhereTheCounterSays) {
  std::vector<double> whole(10), rest(6);
  fill_uniform(3, 0, whole.data(), 10);
  fill_uniform(3, 2, rest.data(), 6);
  EXPECT_EQ(rest, std::vector<double>(whole.begin() + 4, whole.end()));
}

}  // namespace
}  // namespace minitorch::cpu
