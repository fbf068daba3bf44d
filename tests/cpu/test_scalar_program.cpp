// Holds flat programs to values worked out by hand or by the C library; no Python.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "base/error.h"
#include "cpu/scalar_math.h"
#include "cpu/scalar_program.h"

namespace minitorch::cpu {
namespace {

constexpr auto kBool = ScalarType::Bool;
constexpr auto kInt64 = ScalarType::Int64;
constexpr auto kFloat32 = ScalarType::Float32;
constexpr auto kFloat64 = ScalarType::Float64;
using Instructions = std::vector<ScalarInstruction>;

template <class In, class Out>
std::vector<Out> run(const ScalarProgram& program, const std::vector<In>& a) {
  std::vector<Out> out(a.size());
  const void* inputs[] = {a.data()};
  program.run(inputs, out.data(), a.size());
  return out;
}

TEST(ScalarProgram, SelectsBetweenBranches) {
  // relu: x if x > 0.0 else 0.0
  const Instructions relu = {{"constant", kFloat64, {}, 0.0},
                             {"gt", kFloat64, {0, 1}},
                             {"select", kFloat64, {2, 0, 1}}};
  const ScalarProgram program({kFloat64}, relu, 3, kFloat64);
  EXPECT_EQ((run<double, double>(program, {-2, -0.5, 0, 0.5, 3})),
            (std::vector<double>{0, 0, 0, 0.5, 3}));
}

TEST(ScalarProgram, CountsAroundTheBlockAreWhole) {
  const ScalarProgram program({kFloat32}, {{"mul", kFloat32, {0, 0}}}, 1, kFloat32);
  for (size_t count :
       {size_t{0}, size_t{1}, ScalarProgram::kBlock - 1, ScalarProgram::kBlock,
        ScalarProgram::kBlock + 1, size_t{10007}}) {
    std::vector<float> a(count), expected(count);
    std::iota(a.begin(), a.end(), 1.0f);
    for (size_t i = 0; i < count; ++i) expected[i] = a[i] * a[i];
    EXPECT_EQ((run<float, float>(program, a)), expected) << count;
  }
}

TEST(ScalarProgram, OutputMayBeTheInput) {
  // (x + x) * x reads x after the first step.
  const Instructions body = {{"add", kFloat64, {0, 0}}, {"mul", kFloat64, {1, 0}}};
  const ScalarProgram program({kFloat64}, body, 2, kFloat64);
  std::vector<double> values = {1, 2, 3};
  const void* inputs[] = {values.data()};
  program.run(inputs, values.data(), values.size());
  EXPECT_EQ(values, (std::vector<double>{2, 8, 18}));
}

TEST(ScalarProgram, ArgumentOrConstantMayBeTheResult) {
  const ScalarProgram identity({kInt64}, {}, 0, kInt64);
  EXPECT_EQ((run<int64_t, int64_t>(identity, {3, -4})), (std::vector<int64_t>{3, -4}));
  const ScalarProgram seven({kInt64}, {{"constant", kInt64, {}, int64_t{7}}}, 1,
                            kFloat32);
  EXPECT_EQ((run<int64_t, float>(seven, {3, -4})), (std::vector<float>{7, 7}));
}

TEST(ScalarProgram, ManyValuesReuseSlots) {
  // x + 1 + 1 + ... a hundred times, through one chain.
  Instructions body = {{"constant", kFloat64, {}, 1.0}};
  size_t last = 0;
  for (size_t i = 0; i < 100; ++i) {
    body.push_back({"add", kFloat64, {last, 1}});
    last = 2 + i;
  }
  const ScalarProgram program({kFloat64}, body, last, kFloat64);
  EXPECT_EQ((run<double, double>(program, {0, 5})), (std::vector<double>{100, 105}));
}

TEST(ScalarProgram, MathAgreesWithTheLibrary) {
  for (const char* name : {"exp", "log", "tanh", "sqrt", "sin"}) {
    const ScalarProgram program({kFloat64}, {{name, kFloat64, {0}}}, 1, kFloat64);
    const double got = run<double, double>(program, {0.7})[0];
    const std::map<std::string, double> expected = {{"exp", std::exp(0.7)},
                                                    {"log", std::log(0.7)},
                                                    {"tanh", std::tanh(0.7)},
                                                    {"sqrt", std::sqrt(0.7)},
                                                    {"sin", std::sin(0.7)}};
    EXPECT_DOUBLE_EQ(got, expected.at(name)) << name;
  }
}

TEST(ScalarProgram, RefusesWhatDoesNotFit) {
  EXPECT_THROW(ScalarProgram({kFloat64}, {{"sine", kFloat64, {0}}}, 1, kFloat64),
               base::ValueError);
  EXPECT_THROW(ScalarProgram({kFloat64}, {{"add", kFloat64, {0}}}, 1, kFloat64),
               base::ValueError);
  EXPECT_THROW(ScalarProgram({kFloat64}, {{"add", kFloat64, {0, 1}}}, 1, kFloat64),
               base::ValueError);
  EXPECT_THROW(ScalarProgram({kFloat32}, {{"neg", kFloat64, {0}}}, 1, kFloat64),
               base::ValueError);
  EXPECT_THROW(ScalarProgram({kFloat32}, {}, 1, kFloat64), base::ValueError);
  EXPECT_THROW(parse_scalar_type("float16"), base::TypeError);
}

TEST(ScalarMath, DivisionFloorsAsInPython) {
  // (a, b, a // b, a % b) as Python prints them.
  const int64_t integers[][4] = {
      {7, 2, 3, 1}, {-7, 2, -4, 1}, {7, -2, -4, -1}, {-7, -2, 3, -1}, {6, -3, -2, 0}};
  for (const auto& [a, b, quotient, remainder] : integers) {
    EXPECT_EQ(floor_divide(a, b), quotient);
    EXPECT_EQ(floor_modulo(a, b), remainder);
  }
  const double floats[][4] = {{7.5, 2, 3, 1.5},    {-7.5, 2, -4, 0.5},
                              {7.5, -2, -4, -0.5}, {1, 0.1, 9, 0.09999999999999995},
                              {-1e-20, 3, -1, 3},  {0.0, -3, -0.0, -0.0}};
  for (const auto& [a, b, quotient, remainder] : floats) {
    EXPECT_EQ(floor_divide(a, b), quotient) << a << " // " << b;
    EXPECT_EQ(floor_modulo(a, b), remainder) << a << " % " << b;
  }
  EXPECT_EQ(floor_divide(int64_t{5}, int64_t{0}), 0);
  const int64_t least = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(floor_divide(least, int64_t{-1}), least);
  EXPECT_TRUE(std::isinf(floor_divide(1.0, 0.0)));
}

TEST(ScalarMath, IntegerPowersWrapAndInvert) {
  EXPECT_EQ(power(3, 5), 243);
  EXPECT_EQ(power(2, 64), 0);
  EXPECT_EQ(power(0, 0), 1);
  EXPECT_EQ(power(-1, -3), -1);
  EXPECT_EQ(power(2, -1), 0);
}

TEST(ScalarMath, ConversionToIntegersSaturates) {
  EXPECT_EQ(truncate<int64_t>(-2.9), -2);
  EXPECT_EQ(truncate<int64_t>(1e300), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(truncate<int64_t>(-1e300), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(truncate<int32_t>(4e9f), std::numeric_limits<int32_t>::max());
  EXPECT_EQ(truncate<int32_t>(std::nan("")), 0);
}

}  // namespace
}  // namespace minitorch::cpu
