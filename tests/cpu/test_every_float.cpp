// The accuracy tests of the functions of one float32: every 4099th of all floats, or
// every nth with MINITORCH_EVERY_FLOAT=n (all 2 ** 32 with 1), by rows as ops compute
// them, against the C library's double.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <vector>

#include "cpu/element_rows.h"

namespace minitorch::cpu {
namespace {

/// Between neighbours of `exact`, of which 0, infinity and NaN have some, too.
double unit_of(double exact) {
  const double size = std::abs(exact);
  if (!(size >= 0x1p-126)) return 0x1p-149;
  if (size >= 0x1p127) return 0x1p104;
  return std::ldexp(1.0, std::ilogb(size) - 23);
}

/// How far `got` is from `exact`, in units; infinite where only one is a NaN.
double error_of(float got, double exact, double unit) {
  if (std::isnan(got) || std::isnan(exact)) {
    return std::isnan(got) == std::isnan(exact) ? 0 : HUGE_VAL;
  }
  if (std::isinf(got)) {
    const bool over = std::abs(exact) >= 0x1.ffffffp127 && (got > 0) == (exact > 0);
    return over ? 0 : HUGE_VAL;
  }
  return std::abs(got - exact) / unit;
}

uint32_t stride() {
  const char* every = std::getenv("MINITORCH_EVERY_FLOAT");
  const int wanted = every ? std::atoi(every) : 0;
  return wanted > 0 ? static_cast<uint32_t>(wanted) : 4099;
}

/// Calls `check(x)` for rows of all floats that are asked for.
template <class Check>
void for_floats(Check check) {
  constexpr size_t kRow = 4096;
  std::vector<float> x;
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += stride()) {
    x.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    if (x.size() < kRow) continue;
    check(x);
    x.clear();
  }
  check(x);
}

struct Function {
  const char* name;
  Unary op;
  double (*exact)(double x);
  double bound;
  double (*unit)(double x, double exact);  // what an error is measured in
};

double of_result(double, double exact) { return unit_of(exact); }

// Below -87 the sigmoid is not normal: its last place counts x times.
double of_silu(double x, double exact) {
  return std::max(unit_of(exact), std::abs(x) * 0x1p-149);
}

// A negative x is squared in an exponent; below -13.1 the result is 0.
double of_gelu(double x, double exact) {
  return x < 0 ? std::max(unit_of(exact) * (1 + x * x / 4), 0x1p-126) : unit_of(exact);
}

double below(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }
double density(double x) {
  return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
}
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double tanh_inner(double x) {
  return std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
}

// The same of its sigmoid.
double of_gelu_tanh(double x, double exact) {
  if (x >= 0) return unit_of(exact);
  return std::max(unit_of(exact) * (1 - 2 * tanh_inner(x)), 0x1p-120);
}

class EveryFloat : public ::testing::TestWithParam<Function> {};

TEST_P(EveryFloat, IsWithinItsBound) {
  const Function f = GetParam();
  const MapRow<float> row = map_row<float>(f.op);
  double worst = 0;
  float at = 0;
  std::vector<float> out;
  for_floats([&](const std::vector<float>& x) {
    out.resize(x.size());
    row(x.data(), out.data(), static_cast<int64_t>(x.size()));
    for (size_t i = 0; i < x.size(); ++i) {
      const double exact = f.exact(x[i]);
      const double error = error_of(out[i], exact, f.unit(x[i], exact));
      if (error > worst) {
        worst = error;
        at = x[i];
      }
    }
  });
  EXPECT_LE(worst, f.bound) << f.name << " of " << std::hexfloat << at;
  if (std::getenv("MINITORCH_EVERY_FLOAT")) {
    std::printf("%-10s %.3f at %a\n", f.name, worst, static_cast<double>(at));
  }
}

constexpr Function kFunctions[] = {
    {"exp", Unary::Exp, std::exp, 1, of_result},
    {"log", Unary::Log, std::log, 1, of_result},
    {"sigmoid", Unary::Sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }, 2.5,
     of_result},
    {"tanh", Unary::Tanh, std::tanh, 1.5, of_result},
    {"erf", Unary::Erf, std::erf, 2.75, of_result},
    {"sin", Unary::Sin, std::sin, 1.6, of_result},
    {"cos", Unary::Cos, std::cos, 1.6, of_result},
    {"silu", Unary::Silu,
     [](double x) { return x == -HUGE_VAL ? NAN : x / (1 + std::exp(-x)); }, 3.5,
     of_silu},
    {"gelu", Unary::Gelu, [](double x) { return x == -HUGE_VAL ? NAN : x * below(x); },
     4.5, of_gelu},
    {"gelu_tanh", Unary::GeluTanh,
     [](double x) { return x == -HUGE_VAL ? NAN : x * sigmoid(2 * tanh_inner(x)); }, 4,
     of_gelu_tanh},
    {"sqrt", Unary::Sqrt, std::sqrt, 0.5, of_result},
    {"rsqrt", Unary::Rsqrt, [](double x) { return 1 / std::sqrt(x); }, 1.5, of_result},
};

/// A gradient in one loop, times 1, in units of the float below 1.
struct Slope {
  const char* name;
  Binary op;
  double (*exact)(double x);
  double bound;
};

class EverySlope : public ::testing::TestWithParam<Slope> {};

TEST_P(EverySlope, IsWithinItsBound) {
  const Slope f = GetParam();
  const auto row = zip_rows<float>(f.op).both;
  const double most = std::sqrt(std::numeric_limits<float>::max());
  double worst = 0;
  float at = 0;
  std::vector<float> out;
  for_floats([&](const std::vector<float>& x) {
    out.resize(x.size());
    std::vector<float> ones(x.size(), 1.0f);
    row(x.data(), ones.data(), out.data(), static_cast<int64_t>(x.size()));
    for (size_t i = 0; i < x.size(); ++i) {
      const double limited =
          std::isnan(x[i]) ? NAN : std::clamp<double>(x[i], -most, most);
      const double error = error_of(out[i], f.exact(limited), 0x1p-24);
      if (error > worst) {
        worst = error;
        at = x[i];
      }
    }
  });
  EXPECT_LE(worst, f.bound) << f.name << " of " << std::hexfloat << at;
  if (std::getenv("MINITORCH_EVERY_FLOAT")) {
    std::printf("%-10s %.3f at %a\n", f.name, worst, static_cast<double>(at));
  }
}

constexpr Slope kSlopes[] = {
    {"gelu", Binary::GeluGrad,
     [](double x) { return below(x) + (std::abs(x) < 40 ? x * density(x) : 0); }, 4},
    {"gelu_tanh", Binary::GeluTanhGrad,
     [](double x) {
       if (std::abs(x) > 40) return x > 0 ? 1.0 : 0.0;
       const double t = std::tanh(tanh_inner(x));
       const double inner =
           std::sqrt(2 / std::numbers::pi) * (1 + 3 * 0.044715 * x * x);
       return 0.5 * (1 + t + x * (1 - t * t) * inner);
     },
     8},
    {"silu", Binary::SiluGrad,
     [](double x) {
       if (std::abs(x) > 700) return x > 0 ? 1.0 : 0.0;
       return sigmoid(x) * (1 + x * (1 - sigmoid(x)));
     },
     4.25},
};

INSTANTIATE_TEST_SUITE_P(Slopes, EverySlope, ::testing::ValuesIn(kSlopes),
                         [](const auto& each) { return each.param.name; });

INSTANTIATE_TEST_SUITE_P(Functions, EveryFloat, ::testing::ValuesIn(kFunctions),
                         [](const auto& each) { return each.param.name; });

struct Power {
  float exponent;
  double bound;
};

class EveryPower : public ::testing::TestWithParam<Power> {};

TEST_P(EveryPower, IsWithinItsBound) {
  const auto [exponent, bound] = GetParam();
  const auto rows = zip_rows<float>(Binary::Pow);
  double worst = 0;
  float at = 0;
  std::vector<float> out;
  for_floats([&](const std::vector<float>& x) {
    out.resize(x.size());
    rows.left(x.data(), &exponent, out.data(), static_cast<int64_t>(x.size()));
    for (size_t i = 0; i < x.size(); ++i) {
      const double exact = std::pow(double{x[i]}, double{exponent});
      const double error = error_of(out[i], exact, unit_of(exact));
      if (error > worst) {
        worst = error;
        at = x[i];
      }
    }
  });
  EXPECT_LE(worst, bound) << std::hexfloat << at << " ** " << exponent;
}

// Roots, squares, cubes and inverses have ways of their own.
INSTANTIATE_TEST_SUITE_P(Exponents, EveryPower,
                         ::testing::Values(Power{1.7f, 0.51}, Power{-0.3f, 0.51},
                                           Power{5, 0.51}, Power{-8, 0.51},
                                           Power{33.5f, 0.51}, Power{1e-3f, 0.51},
                                           Power{0, 0}, Power{1, 0}, Power{2, 0.5},
                                           Power{3, 1.5}, Power{-1, 0.5},
                                           Power{0.5f, 0.5}, Power{-0.5f, 1.5}));

TEST(EveryFloatRows, GiveTheBitsOfSingleNumbers) {
  // Far, near, not normal and not a number, beside each other.
  std::vector<float> x;
  for (uint32_t bits = 12345; x.size() < 3001; bits += 0x01234567u)
    x.push_back(std::bit_cast<float>(bits));
  for (const Function& f : kFunctions) {
    const MapRow<float> row = map_row<float>(f.op);
    std::vector<float> out(x.size());
    row(x.data(), out.data(), static_cast<int64_t>(x.size()));
    for (size_t i = 0; i < x.size(); ++i) {
      float alone = 0;
      row(&x[i], &alone, 1);
      if (!std::isnan(alone) || !std::isnan(out[i])) {
        ASSERT_EQ(std::bit_cast<uint32_t>(out[i]), std::bit_cast<uint32_t>(alone))
            << f.name << " of " << x[i];
      }
    }
  }
}

}  // namespace
}  // namespace minitorch::cpu
