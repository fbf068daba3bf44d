// Owns the tests of products through BLAS against the definition, in every layout.
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

TEST(Matmul, AgreesWithTheDefinition) {
  if (!have_blas()) GTEST_SKIP() << "no BLAS on this machine";
  const int64_t m = 5, n = 3, k = 4;
  std::vector<double> a(m * k), b(k * n), out(m * n);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<double>(i % 7) - 3;
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<double>(i % 5) - 2;
  for (bool a_turned : {false, true}) {
    for (bool b_turned : {false, true}) {
      const Matrix<double> left{a.data(), a_turned ? 1 : k, a_turned ? m : 1};
      const Matrix<double> right{b.data(), b_turned ? 1 : n, b_turned ? k : 1};
      matmul<double>(m, n, k, left, right, out.data());
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          double sum = 0;
          for (int64_t x = 0; x < k; ++x) {
            sum += left.data[i * left.row + x * left.column] *
                   right.data[x * right.row + j * right.column];
          }
          EXPECT_EQ(out[i * n + j], sum);
        }
      }
    }
  }
}

TEST(Matmul, SumOverNothingIsZero) {
  std::vector<float> out(6, 5);
  matmul<float>(2, 3, 0, {nullptr, 0, 1}, {nullptr, 3, 1}, out.data());
  EXPECT_EQ(out, std::vector<float>(6, 0));
}

}  // namespace
}  // namespace minitorch::cpu
