// The tests that rows convert as half.h does, bit for bit: all 65,536 numbers, and the
// floats between, at every place of a vector.
#include "cpu/half_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "cpu/elementwise.h"

namespace minitorch::cpu {
namespace {

template <class H>
class HalfRows : public ::testing::Test {
 protected:
  static H of_bits(uint32_t bits) {
    H h;
    h.bits = static_cast<uint16_t>(bits);
    return h;
  }
  static uint32_t bits_of(float x) { return std::bit_cast<uint32_t>(x); }

  static std::vector<H> every() {
    std::vector<H> all;
    for (uint32_t bits = 0; bits < 65536; ++bits) all.push_back(of_bits(bits));
    return all;
  }
};
using Halves = ::testing::Types<Float16, BFloat16>;
TYPED_TEST_SUITE(HalfRows, Halves);

TYPED_TEST(HalfRows, WidenEveryNumberToTheBitsOfOne) {
  const auto all = this->every();
  std::vector<float> out(all.size());
  widen_row(all.data(), out.data(), static_cast<int64_t>(all.size()));
  for (size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(this->bits_of(out[i]), this->bits_of(all[i])) << i;
  }
}

TYPED_TEST(HalfRows, NarrowEveryNumberBackToItself) {
  const auto all = this->every();
  std::vector<float> wide(all.size());
  std::vector<TypeParam> out(all.size());
  const auto count = static_cast<int64_t>(all.size());
  widen_row(all.data(), wide.data(), count);
  narrow_row(wide.data(), out.data(), count);
  for (size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(out[i].bits, TypeParam(wide[i]).bits) << i;
    if (!std::isnan(wide[i])) {
      ASSERT_EQ(out[i].bits, all[i].bits);
    }
  }
}

TYPED_TEST(HalfRows, RoundTheFloatsAroundEveryTie) {
  std::vector<float> wide;
  const auto all = this->every();
  for (size_t i = 0; i + 1 < all.size(); ++i) {
    const float low = all[i], high = all[i + 1];
    const float tie = low + (high - low) / 2;
    for (const float x : {tie, std::nextafter(tie, low), std::nextafter(tie, high)})
      wide.push_back(x);
  }
  for (const float x : {65519.99f, 65520.0f, 1e38f, 1e-45f, 0x1p-25f, 0x1.000002p-25f})
    wide.insert(wide.end(), {x, -x});
  std::vector<TypeParam> out(wide.size());
  narrow_row(wide.data(), out.data(), static_cast<int64_t>(wide.size()));
  for (size_t i = 0; i < wide.size(); ++i) {
    ASSERT_EQ(out[i].bits, TypeParam(wide[i]).bits) << wide[i];
  }
}

TYPED_TEST(HalfRows, KeepTheBitsOfNansAtEveryPlaceAndLength) {
  for (int64_t count = 0; count <= 100; ++count) {
    for (int64_t at = 0; at < count; at += 7) {
      std::vector<TypeParam> x(static_cast<size_t>(count), this->of_bits(0x3c01));
      x[static_cast<size_t>(at)] = this->of_bits(0xff81);  // a signalling NaN of both
      std::vector<float> wide(x.size());
      std::vector<TypeParam> out(x.size());
      widen_row(x.data(), wide.data(), count);
      narrow_row(wide.data(), out.data(), count);
      for (size_t i = 0; i < x.size(); ++i) {
        ASSERT_EQ(this->bits_of(wide[i]), this->bits_of(x[i]));
        ASSERT_EQ(out[i].bits, TypeParam(static_cast<float>(x[i])).bits);
      }
    }
  }
}

TYPED_TEST(HalfRows, OpsRoundOnceWhateverTheStrides) {
  const auto all = this->every();
  const int64_t count = 65536;
  const std::vector<int64_t> shape = {count}, one = {1}, two = {2}, none = {0};
  const TypeParam number(1.5f);
  for (const auto& stride : {one, two}) {
    const auto step = static_cast<size_t>(stride[0]);
    std::vector<TypeParam> x(all.size() * step), out(x.size());
    for (size_t i = 0; i < all.size(); ++i) x[i * step] = all[i];
    binary<TypeParam>(Binary::Mul, shape, {x.data(), stride}, {&number, none},
                      {out.data(), stride});
    for (size_t i = 0; i < all.size(); ++i) {
      const TypeParam expected(static_cast<float>(all[i]) * 1.5f);
      ASSERT_EQ(out[i * step].bits, expected.bits) << i;
    }
    unary<TypeParam>(Unary::Neg, shape, {x.data(), stride}, {out.data(), stride});
    for (size_t i = 0; i < all.size(); ++i) {
      ASSERT_EQ(out[i * step].bits, all[i].bits ^ 0x8000u);
    }
    unary<TypeParam>(Unary::Sqrt, shape, {x.data(), stride}, {out.data(), stride});
    for (size_t i = 0; i < all.size(); ++i) {
      const float wide = all[i];
      if (wide >= 0) {
        ASSERT_EQ(out[i * step].bits, TypeParam(std::sqrt(wide)).bits) << wide;
      }
    }
  }
}

}  // namespace
}  // namespace minitorch::cpu
