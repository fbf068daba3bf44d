// The accuracy tests of exp, log, sigmoid and tanh against extended precision, and that
// rows and single values agree bit for bit.
#include "cpu/vector_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "cpu/rows.h"

namespace minitorch::cpu {
namespace {

template <class T>
double ulps(T got, long double exact) {
  const T nearest = static_cast<T>(exact);
  if (got == nearest) return 0;
  const T size = std::abs(nearest);
  const long double unit =
      std::nextafter(size, std::numeric_limits<T>::infinity()) - size;
  return static_cast<double>(std::abs(got - exact) / unit);
}

template <class T>
class VectorMath : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(VectorMath, Reals);

TYPED_TEST(VectorMath, IsAccurateOverTheWholeRange) {
  using T = TypeParam;
  const bool single = std::is_same_v<T, float>;
  std::mt19937_64 engine(1);
  for (double limit : {1.0, single ? 87.0 : 708.0}) {
    std::uniform_real_distribution<double> numbers(-limit, limit);
    for (int i = 0; i < 50000; ++i) {
      const T x = static_cast<T>(numbers(engine));
      const long double e = std::exp(static_cast<long double>(x));
      ASSERT_LE(ulps(exp_straight(x), e), 1) << x;
      ASSERT_LE(ulps(sigmoid_straight(x), e / (1 + e)), 2.5) << x;
      for (const T z : {x, x * T(0.01), x * T(1e-6)}) {
        const long double tanh = std::tanh(static_cast<long double>(z));
        ASSERT_LE(ulps(tanh_straight(z), tanh), 4) << z;
      }
      const T y = exp_straight(x);
      ASSERT_LE(ulps(log_straight(y), std::log(static_cast<long double>(y))), 1) << y;
    }
  }
}

TYPED_TEST(VectorMath, KeepsTheEdges) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  const T inf = Limits::infinity(), nan = Limits::quiet_NaN();
  EXPECT_EQ(exp_straight(T(0)), 1);
  EXPECT_EQ(exp_straight(inf), inf);
  EXPECT_EQ(exp_straight(-inf), 0);
  EXPECT_EQ(exp_straight(T(1e4)), inf);
  EXPECT_EQ(exp_straight(T(-1e4)), 0);
  EXPECT_TRUE(std::isnan(exp_straight(nan)));
  EXPECT_EQ(tanh_straight(inf), 1);
  EXPECT_EQ(tanh_straight(-inf), -1);
  EXPECT_TRUE(std::signbit(tanh_straight(-T(0))));
  EXPECT_EQ(tanh_straight(Limits::denorm_min()), Limits::denorm_min());
  EXPECT_TRUE(std::isnan(tanh_straight(nan)));
  EXPECT_EQ(log_straight(T(1)), 0);
  EXPECT_EQ(log_straight(inf), inf);
  EXPECT_EQ(log_straight(T(0)), -inf);
  EXPECT_EQ(log_straight(-T(0)), -inf);
  EXPECT_TRUE(std::isnan(log_straight(T(-1))));
  EXPECT_TRUE(std::isnan(log_straight(-inf)));
  EXPECT_TRUE(std::isnan(log_straight(nan)));
  const T smallest = Limits::denorm_min();
  const long double exact = std::log(static_cast<long double>(smallest));
  EXPECT_LE(ulps(log_straight(smallest), exact), 1);
}

TYPED_TEST(VectorMath, RowsGiveTheBitsOfSingleValues) {
  using T = TypeParam;
  std::vector<T> x(1003), out(x.size());
  std::mt19937 engine(2);
  std::uniform_real_distribution<double> numbers(-110, 110);
  for (T& v : x) v = static_cast<T>(numbers(engine));
  const auto count = static_cast<int64_t>(x.size());
  exp_row(x.data(), out.data(), count);
  for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(out[i], exp_straight(x[i]));
  sigmoid_row(x.data(), out.data(), count);
  for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(out[i], sigmoid_straight(x[i]));
  tanh_row(x.data(), out.data(), count);
  for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(out[i], tanh_straight(x[i]));
  for (T& v : x) v = std::abs(v);
  log_row(x.data(), out.data(), count);
  for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(out[i], log_straight(x[i]));
}

TYPED_TEST(VectorMath, RowsOfExpTakeTheShortWayOnlyWhereItHolds) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  const T largest = MathConstants<T>::kNormal;
  const T beyond = std::nextafter(largest, Limits::infinity());
  // One such number among ordinary ones, at each end of a block and in an odd rest.
  for (const T odd : {largest, -largest, beyond, -beyond, T(89), T(-104), T(750),
                      Limits::infinity(), -Limits::infinity(), Limits::denorm_min(),
                      Limits::quiet_NaN(), -Limits::quiet_NaN()}) {
    for (const size_t at : {0u, 511u, 512u, 1100u}) {
      std::vector<T> x(1101), out(x.size());
      for (size_t i = 0; i < x.size(); ++i) x[i] = T(i % 170) - largest + T(0.25);
      for (T& v : x) v = std::min(v, largest);
      x[at] = odd;
      exp_row(x.data(), out.data(), static_cast<int64_t>(x.size()));
      for (size_t i = 0; i < x.size(); ++i) {
        const T alone = exp_straight(x[i]);
        if (std::isnan(x[i])) {
          ASSERT_TRUE(std::isnan(out[i])) << at;
        } else {
          ASSERT_EQ(out[i], alone) << x[i] << " beside " << odd;
        }
      }
    }
  }
}

}  // namespace
}  // namespace minitorch::cpu
