// The tests of the host loops against plain loops over every element.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "cpu/copy.h"
#include "cpu/elementwise.h"
#include "cpu/reduce.h"

namespace minitorch::cpu {
namespace {

using Sizes = std::vector<int64_t>;

template <class T>
std::vector<T> random_values(size_t count) {
  std::mt19937 engine(count);
  std::uniform_real_distribution<double> numbers(-3, 3);
  std::vector<T> out(count);
  for (T& value : out)
    value = static_cast<T>(std::is_unsigned_v<T> ? engine() : numbers(engine));
  return out;
}

TEST(LoopNest, VisitsEveryElementOnceInAnyPieces) {
  const Sizes shape = {3, 1, 4, 5}, a = {20, 7, 5, 1}, b = {0, 0, 1, 4};
  auto nest = make_nest<2>(shape, {std::span<const int64_t>(a), b});
  EXPECT_EQ(nest.total, 60);
  for (int64_t piece : {1, 7, 20, 60}) {
    std::vector<std::pair<int64_t, int64_t>> seen;
    for (int64_t begin = 0; begin < 60; begin += piece) {
      for_rows(nest, begin, std::min<int64_t>(begin + piece, 60),
               [&](const auto& at, int64_t n) {
                 for (int64_t i = 0; i < n; ++i) {
                   seen.emplace_back(at[0] + i * nest.row_stride(0),
                                     at[1] + i * nest.row_stride(1));
                 }
               });
    }
    ASSERT_EQ(seen.size(), 60u);
    for (int64_t i = 0; i < 60; ++i) {
      const int64_t y = i / 5 % 4, x = i % 5;
      EXPECT_EQ(seen[i], (std::pair<int64_t, int64_t>(i, y + 4 * x)));
    }
  }
}

TEST(LoopNest, MergesDimensionsThatAllOperandsWalkAsOne) {
  const Sizes shape = {2, 3, 4}, flat = {12, 4, 1};
  auto nest = make_nest<2>(shape, {std::span<const int64_t>(flat), flat});
  EXPECT_EQ(nest.dims, 1u);
  EXPECT_EQ(nest.row_length(), 24);
}

TEST(Unary, SigmoidDoesNotOverflow) {
  const std::vector<double> x = {-1000, -1, 0, 1, 1000};
  std::vector<double> y(5);
  const Sizes shape = {5}, one = {1};
  unary<double>(Unary::Sigmoid, shape, {x.data(), one}, {y.data(), one});
  EXPECT_EQ(y[0], 0);
  EXPECT_NEAR(y[1], 1 / (1 + std::exp(1.0)), 1e-16);
  EXPECT_EQ(y[2], 0.5);
  EXPECT_EQ(y[4], 1);
}

TEST(Unary, NaNGoesThrough) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Sizes shape = {1}, one = {1};
  for (Unary op : {Unary::Neg, Unary::Abs, Unary::Relu, Unary::Sigmoid, Unary::Exp,
                   Unary::Log, Unary::Sqrt, Unary::Tanh, Unary::Reciprocal}) {
    float y = 0;
    unary<float>(op, shape, {&nan, one}, {&y, one});
    EXPECT_TRUE(std::isnan(y)) << static_cast<int>(op);
  }
}

TEST(Binary, WorksOnLongTransposedAndBroadcastOperands) {
  const int64_t rows = 301, columns = 407;  // several threads, no round sizes
  const auto a = random_values<float>(static_cast<size_t>(rows * columns));
  const auto b = random_values<float>(static_cast<size_t>(columns));
  std::vector<float> out(a.size());
  const Sizes shape = {rows, columns}, turned = {1, rows}, row = {0, 1},
              flat = {columns, 1};
  binary<float>(Binary::Sub, shape, {a.data(), turned}, {b.data(), row},
                {out.data(), flat});
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      ASSERT_EQ(out[i * columns + j], a[i + j * rows] - b[j]);
    }
  }
}

TEST(Binary, IntegersWrapInsteadOfTrapping) {
  const int32_t a = std::numeric_limits<int32_t>::max(), b = 1;
  int32_t out = 0;
  const Sizes shape = {1}, one = {1};
  binary<int32_t>(Binary::Add, shape, {&a, one}, {&b, one}, {&out, one});
  EXPECT_EQ(out, std::numeric_limits<int32_t>::min());
}

TEST(Copy, TransposesOddSizesAndPlanes) {
  const int64_t planes = 3, rows = 37, columns = 530;
  const auto a = random_values<uint64_t>(static_cast<size_t>(planes * rows * columns));
  std::vector<uint64_t> out(a.size());
  const Sizes shape = {planes, columns, rows};
  const Sizes from = {rows * columns, 1, columns}, to = {rows * columns, rows, 1};
  copy<uint64_t, uint64_t>(shape, {a.data(), from}, {out.data(), to});
  for (int64_t p = 0; p < planes; ++p) {
    for (int64_t c = 0; c < columns; ++c) {
      for (int64_t r = 0; r < rows; ++r) {
        const int64_t plane = p * rows * columns;
        ASSERT_EQ(out[plane + c * rows + r], a[plane + r * columns + c]);
      }
    }
  }
}

TEST(Copy, ConvertsAndKeepsGapsUntouched) {
  const std::vector<double> a = {1.9, -2.9, 0, 4};
  std::vector<int32_t> out(8, 7);
  const Sizes shape = {4}, one = {1}, two = {2};
  copy<double, int32_t>(shape, {a.data(), one}, {out.data(), two});
  EXPECT_EQ(out, (std::vector<int32_t>{1, 7, -2, 7, 0, 7, 4, 7}));
}

struct ReduceCase {
  Sizes shape;
  size_t dim;
};

class ReduceShapes : public ::testing::TestWithParam<ReduceCase> {};

TEST_P(ReduceShapes, SumAndMaxAgreeWithAPlainLoop) {
  const auto& [shape, dim] = GetParam();
  Sizes strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  const int64_t total = strides[0] * shape[0], length = shape[dim], step = strides[dim];
  const auto a = random_values<double>(static_cast<size_t>(total));
  const auto outputs = static_cast<size_t>(length ? total / length : 0);
  std::vector<double> sums(outputs), best(outputs);
  reduce<double>(Reduce::Sum, shape, dim, {a.data(), strides}, sums.data());
  reduce<double>(Reduce::Max, shape, dim, {a.data(), strides}, best.data());
  for (size_t o = 0; o < outputs; ++o) {
    const auto at = static_cast<int64_t>(o);
    const double* first = a.data() + at / step * step * length + at % step;
    long double sum = 0;
    double largest = *first;
    for (int64_t i = 0; i < length; ++i) {
      sum += first[i * step];
      largest = std::max(largest, first[i * step]);
    }
    ASSERT_NEAR(sums[o], static_cast<double>(sum), 1e-11);
    ASSERT_EQ(best[o], largest);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, ReduceShapes,
    ::testing::Values(ReduceCase{{1}, 0}, ReduceCase{{100003}, 0},
                      ReduceCase{{7, 1031}, 1}, ReduceCase{{1031, 7}, 0},
                      ReduceCase{{301, 601}, 0}, ReduceCase{{20011, 7}, 0},
                      ReduceCase{{1201, 1031}, 0}, ReduceCase{{1031, 1201}, 0},
                      ReduceCase{{5, 67, 33}, 1}, ReduceCase{{5, 67, 33}, 2},
                      ReduceCase{{5, 67, 33}, 0}));

TEST(Reduce, SumsInBlocksSoThatErrorsStaySmall) {
  // 0.1f added a million times one after another drifts by about 1 %.
  const std::vector<float> a(1000000, 0.1f);
  const Sizes row = {1000000}, one = {1}, column = {1000000, 1}, tall = {1, 1};
  float sum = 0, tall_sum = 0;
  reduce<float>(Reduce::Sum, row, 0, {a.data(), one}, &sum);
  reduce<float>(Reduce::Sum, column, 0, {a.data(), tall}, &tall_sum);
  const double exact = 1e6 * static_cast<double>(0.1f);
  EXPECT_NEAR(sum, exact, exact * 1e-6);
  EXPECT_NEAR(tall_sum, exact, exact * 1e-6);
}

TEST(Reduce, MaximumKeepsNaN) {
  std::vector<float> a(1000, 1.0f);
  a[517] = std::numeric_limits<float>::quiet_NaN();
  const Sizes shape = {1000}, one = {1};
  float best = 0;
  reduce<float>(Reduce::Max, shape, 0, {a.data(), one}, &best);
  EXPECT_TRUE(std::isnan(best));
}

TEST(Reduce, SumOfNothingIsZero) {
  const Sizes shape = {0, 3}, strides = {3, 1};
  std::vector<double> sums(3, 9), none;
  reduce<double>(Reduce::Sum, shape, 0, {none.data(), strides}, sums.data());
  EXPECT_EQ(sums, std::vector<double>(3, 0.0));
}

}  // namespace
}  // namespace minitorch::cpu
