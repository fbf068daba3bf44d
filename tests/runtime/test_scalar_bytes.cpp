// The tests of number conversions; expected bits are the IEEE formats' own.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/scalar_bytes.h"

namespace minitorch::runtime {
namespace {

template <class T, class Value>
T encoded(Value value, ElementType type) {
  std::vector<std::byte> bytes;
  EXPECT_EQ(encode(plain_number(value), type, &bytes), "");
  T out{};
  EXPECT_EQ(bytes.size(), sizeof out);
  std::memcpy(&out, bytes.data(), sizeof out);
  return out;
}

template <class Value>
std::string refusal(Value value, ElementType type) {
  std::vector<std::byte> bytes;
  return encode(plain_number(value), type, &bytes);
}

constexpr ElementType kI8{'i', 1}, kI32{'i', 4}, kI64{'i', 8}, kU8{'u', 1},
    kU64{'u', 8}, kF16{'f', 2}, kF32{'f', 4}, kF64{'f', 8}, kBf16{'E', 2},
    kBool{'b', 1};

TEST(Encode, IntegersFitExactlyOrNotAtAll) {
  EXPECT_EQ(encoded<int8_t>(int64_t{-128}, kI8), -128);
  EXPECT_EQ(encoded<int8_t>(int64_t{127}, kI8), 127);
  EXPECT_NE(refusal(int64_t{128}, kI8), "");
  EXPECT_NE(refusal(int64_t{-129}, kI8), "");
  EXPECT_EQ(encoded<uint8_t>(int64_t{255}, kU8), 255);
  EXPECT_NE(refusal(int64_t{256}, kU8), "");
  EXPECT_NE(refusal(int64_t{-1}, kU8), "");
  const int64_t least = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(encoded<int64_t>(least, kI64), least);
  const uint64_t most = std::numeric_limits<uint64_t>::max();
  EXPECT_EQ(encoded<uint64_t>(most, kU64), most);
  EXPECT_NE(refusal(most, kI64), "");
  EXPECT_EQ(encoded<int32_t>(true, kI32), 1);
}

TEST(Encode, RealsBecomeIntegersOnlyWhenWhole) {
  EXPECT_EQ(encoded<int32_t>(-3.0, kI32), -3);
  EXPECT_NE(refusal(3.5, kI32), "");
  EXPECT_NE(refusal(3e9, kI32), "");
  EXPECT_NE(refusal(std::nan(""), kI32), "");
  EXPECT_NE(refusal(INFINITY, kI64), "");
}

TEST(Encode, RealsAreRoundedAsTheHardwareDoes) {
  for (const double value :
       {0.0, -0.0, 0.1, -1.5, 1e-45, 1e-46, 1.17549435e-38, 3.4028234663852886e38,
        16777217.0, static_cast<double>(INFINITY)}) {
    const float expected = static_cast<float>(value);
    const float got = encoded<float>(value, kF32);
    EXPECT_EQ(std::memcmp(&got, &expected, 4), 0) << value;
  }
  EXPECT_TRUE(std::isnan(encoded<float>(std::nan(""), kF32)));
  EXPECT_NE(refusal(1e39, kF32), "");
  EXPECT_EQ(encoded<double>(0.1, kF64), 0.1);
}

TEST(Encode, KnowsHalfAndBfloat) {
  EXPECT_EQ(encoded<uint16_t>(1.0, kF16), 0x3c00);
  EXPECT_EQ(encoded<uint16_t>(-2.0, kF16), 0xc000);
  EXPECT_EQ(encoded<uint16_t>(65504.0, kF16), 0x7bff);
  EXPECT_EQ(encoded<uint16_t>(5.960464477539063e-08, kF16), 0x0001);  // least subnormal
  EXPECT_EQ(encoded<uint16_t>(1.0009765625, kF16), 0x3c01);
  EXPECT_EQ(encoded<uint16_t>(1.00048828125, kF16), 0x3c00);  // a tie: to even
  EXPECT_NE(refusal(65520.0, kF16), "");
  EXPECT_EQ(encoded<uint16_t>(1.0, kBf16), 0x3f80);
  EXPECT_EQ(encoded<uint16_t>(static_cast<double>(INFINITY), kBf16), 0x7f80);
}

TEST(Encode, IntegersBecomeRealsOnlyWhenExact) {
  EXPECT_EQ(encoded<float>(int64_t{16777216}, kF32), 16777216.0f);
  EXPECT_EQ(encoded<float>(int64_t{-16777218}, kF32), -16777218.0f);
  EXPECT_NE(refusal(int64_t{16777217}, kF32), "");
  EXPECT_EQ(encoded<double>(int64_t{1} << 53, kF64), 9007199254740992.0);
  EXPECT_NE(refusal((int64_t{1} << 53) + 1, kF64), "");
  EXPECT_NE(refusal(int64_t{70000}, kF16), "");
}

TEST(Encode, BoolsAreOnlyZeroAndOne) {
  EXPECT_EQ(encoded<uint8_t>(true, kBool), 1);
  EXPECT_EQ(encoded<uint8_t>(int64_t{0}, kBool), 0);
  EXPECT_NE(refusal(int64_t{2}, kBool), "");
  EXPECT_NE(refusal(1.0, kBool), "");
}

}  // namespace
}  // namespace minitorch::runtime
