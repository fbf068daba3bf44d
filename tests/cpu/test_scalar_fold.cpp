// Holds folds of every shape to exact sums; no Python.
#include <gtest/gtest.h>

#include <cmath>

#include "cpu/scalar_fold.h"

namespace minitorch::cpu {
namespace {

ScalarProgram binary(const char* operation, ScalarType type) {
  return ScalarProgram({type, type}, {{operation, type, {0, 1}}}, 2, type);
}

// Cells are small integers, whose sums are exact in any order.
std::vector<double> cells(size_t count) {
  std::vector<double> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<double>(i * 37 % 101) - 50;
  return values;
}

struct FoldOf : testing::TestWithParam<FoldShape> {};

TEST_P(FoldOf, EveryShapeSumsExactly) {
  const auto [outer, length, inner] = GetParam();
  const std::vector<double> in = cells(outer * length * inner);
  std::vector<double> expected(outer * inner, 1000), out(outer * inner, NAN);
  for (size_t o = 0; o < outer; ++o) {
    for (size_t l = 0; l < length; ++l) {
      for (size_t i = 0; i < inner; ++i) {
        expected[o * inner + i] += in[(o * length + l) * inner + i];
      }
    }
  }
  const double start = 1000;  // joined once, however many segments there are
  fold(binary("add", ScalarType::Float64), in.data(), out.data(), GetParam(), &start);
  EXPECT_EQ(out, expected);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, FoldOf,
    testing::Values(FoldShape{1, 1, 1}, FoldShape{1, 255, 1}, FoldShape{1, 256, 1},
                    FoldShape{1, 257, 1}, FoldShape{1, 200003, 1}, FoldShape{3, 7, 5},
                    FoldShape{2, 1009, 127}, FoldShape{2, 1009, 128},
                    FoldShape{2, 513, 129}, FoldShape{1, 300, 1000}, FoldShape{5, 0, 3},
                    FoldShape{0, 4, 3}, FoldShape{4, 4, 0}, FoldShape{1000, 4, 1}));

TEST(Fold, LongSumOfFloat32KeepsItsAccuracy) {
  const size_t count = 1 << 24;
  const std::vector<float> in(count, 0.1f);
  float out, start = 0;
  const FoldShape shape{1, count, 1};
  fold(binary("add", ScalarType::Float32), in.data(), &out, shape, &start);
  const double exact = static_cast<double>(0.1f) * count;
  EXPECT_NEAR(out, exact, exact * 1e-5);  // one by one it would be off by 20 %
}

TEST(Fold, TakesTheLargestWithAStart) {
  const ScalarType type = ScalarType::Int64;
  const ScalarProgram largest(
      {type, type}, {{"lt", type, {0, 1}}, {"select", type, {2, 1, 0}}}, 3, type);
  const std::vector<int64_t> in = {3, 9, -4, 2, 8, 1};  // (3, 2)
  std::vector<int64_t> out(2);
  const int64_t start = 5;
  fold(largest, in.data(), out.data(), {1, 3, 2}, &start);
  EXPECT_EQ(out, (std::vector<int64_t>{8, 9}));
}

}  // namespace
}  // namespace minitorch::cpu
