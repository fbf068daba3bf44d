// The tests of products through BLAS against the definition, in every layout.
#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "base/error.h"
#include "cpu/blas.h"
#include "cpu/matmul.h"

namespace minitorch::cpu {
namespace {

bool have_blas() {
  try {
    blas();
    return true;
  } catch (const base::StateError&) {
    return false;
  }
}

TEST(Matmul, ReadsRowsColumnsAndPaddedRows) {
  EXPECT_TRUE(blas_can_read(3, 4, 4, 1));
  EXPECT_TRUE(blas_can_read(3, 4, 1, 3));
  EXPECT_TRUE(blas_can_read(3, 4, 9, 1));
  EXPECT_TRUE(blas_can_read(1, 4, 0, 1));
  EXPECT_FALSE(blas_can_read(3, 4, 8, 2));
  EXPECT_FALSE(blas_can_read(3, 4, 0, 1));
}

/// Compares a product, written over `before` or added to it, with the definition.
void compare(int64_t m, int64_t n, int64_t k, bool a_turned, bool b_turned,
             bool accumulate) {
  std::vector<double> a(static_cast<size_t>(m * k)), b(static_cast<size_t>(k * n));
  std::vector<double> out(static_cast<size_t>(m * n), 7);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<double>(i % 7) - 3;
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<double>(i % 5) - 2;
  const Matrix<double> left{a.data(), a_turned ? 1 : k, a_turned ? m : 1};
  const Matrix<double> right{b.data(), b_turned ? 1 : n, b_turned ? k : 1};
  matmul<double>(m, n, k, left, right, out.data(), accumulate);
  int64_t wrong = 0;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = accumulate ? 7 : 0;
      for (int64_t x = 0; x < k; ++x) {
        sum += left.data[i * left.row + x * left.column] *
               right.data[x * right.row + j * right.column];
      }
      wrong += out[static_cast<size_t>(i * n + j)] != sum;
    }
  }
  EXPECT_EQ(wrong, 0) << m << " x " << k << " @ " << k << " x " << n;
}

TEST(Matmul, AgreesWithTheDefinition) {
  if (!have_blas()) GTEST_SKIP() << "no BLAS on this machine";
  for (bool a_turned : {false, true}) {
    for (bool b_turned : {false, true}) {
      for (bool accumulate : {false, true}) {
        compare(5, 3, 4, a_turned, b_turned, accumulate);
        compare(60, 70, 80, a_turned, b_turned, accumulate);    // on one thread
        compare(301, 40, 402, a_turned, b_turned, accumulate);  // parts of the rows
        compare(3, 401, 4003, a_turned, b_turned, accumulate);  // and of the columns
      }
    }
  }
  compare(1, 3000, 2000, false, false, false);
  compare(3000, 1, 2000, false, false, false);
}

TEST(Matmul, SumOverNothingIsZero) {
  std::vector<float> out(6, 5);
  matmul<float>(2, 3, 0, {nullptr, 0, 1}, {nullptr, 3, 1}, out.data());
  EXPECT_EQ(out, std::vector<float>(6, 0));
}

}  // namespace
}  // namespace minitorch::cpu
