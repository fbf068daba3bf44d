// Erf and the activations made of it, of tanh and of the sigmoid, with their
// slopes, as straight-line code like that of vector_math.h. Knows no loop.
//
// Of float, erf is within 2.75 ulp, SiLU and the approximated GELU within 3.5 and 4,
// GELU within 4.5, of a negative x within 4.5 + 1.2 x²; slopes are within 4.25 units of
// the floats below 1. Numbers that are not normal aside:
// tests/cpu/test_every_float.cpp has all.
#pragma once

#include <numbers>

#include "cpu/vector_math.h"

namespace minitorch::cpu {

MINITORCH_INLINED double erf_straight(double x) { return std::erf(x); }

/// Below 1 a polynomial in x² times x; above, 1 - exp(-polynomial of |x|). Both are
/// best fits, of erf(x) / x and of -log(1 - erf(x)); from 3.93 on erf rounds to 1.
MINITORCH_INLINED float erf_straight(float x) {
  const float magnitude = std::abs(x), z = x * x;
  const float small =
      0x1.20dd74p+0f +
      z * (-0x1.81273ep-2f +
           z * (0x1.ce2cf8p-4f +
                z * (-0x1.b7f90cp-6f +
                     z * (0x1.5405b2p-8f +
                          z * (-0x1.a3f6fcp-11f + z * 0x1.496a28p-14f)))));
  const float y = magnitude > 3.93f ? 3.93f : magnitude;
  const float power =
      0x1.72e3a0p-12f +
      y * (0x1.2085b2p+0f +
           y * (0x1.46c582p-1f +
                y * (0x1.a60a94p-4f +
                     y * (-0x1.654242p-6f +
                          y * (0x1.814d16p-9f + y * -0x1.852da8p-13f)))));
  const float large = std::copysign(1 - exp_normal(-power), x);
  return magnitude >= 1 ? large : x * small;
}

/// x limited to -limit … limit; a NaN stays.
template <class T>
MINITORCH_INLINED T limited(T x, T limit) {
  const T below = x > limit ? limit : x;
  return below < -limit ? -limit : below;
}

/// Φ and φ at x, of the normal distribution.
template <class T>
struct Normal {
  T below, density;
};

MINITORCH_INLINED Normal<double> normal_at(double x) {
  constexpr double kRootHalf = std::numbers::sqrt2 / 2;
  const double c = limited(x, 40.0), u = c * kRootHalf;  // c² is finite; φ is 0 there
  return {0.5 * (1 + erf_straight(u)),
          exp_straight(-u * u) * (kRootHalf * std::numbers::inv_sqrtpi)};
}

/// 2 ** t for normal results, within 2 ulp: a whole power, and a best fit for the rest.
MINITORCH_INLINED float power_of_two(float t) {
  constexpr float kRound = MathConstants<float>::kRound;
  const float shifted = t + kRound, r = t - (shifted - kRound), r2 = r * r;
  const float a = (1 + r * 0x1.62e430p-1f) + r2 * (0x1.ebfbdcp-3f + r * 0x1.c6aee8p-5f);
  const float b = (0x1.3b2d4ep-7f + r * 0x1.5f3e80p-10f) + r2 * 0x1.41fb9ep-13f;
  const uint32_t power = std::bit_cast<uint32_t>(shifted) << 23;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(a + r2 * r2 * b) + power);
}

/// Both from one exponential: 1 - Φ(y) = ½ e ** (-y² / 2) P(y) / Q(y) for y >= 0, the
/// best fit up to 13.1. Its coefficients are positive, so that no sum loses digits, and
/// neither does Φ of negative x. Beyond, Φ is 0 or 1.
MINITORCH_INLINED Normal<float> normal_at(float x) {
  constexpr float kFar = 13.1f;
  const float magnitude = std::abs(x), y = magnitude > kFar ? kFar : magnitude;
  const float p =
      1 + y * (0x1.bdcf88p-1f +
               y * (0x1.72d434p-2f + y * (0x1.46e5f4p-4f + y * 0x1.06b40ap-7f)));
  const float q =
      1 + y * (0x1.ab29f4p+0f +
               y * (0x1.31889cp+0f +
                    y * (0x1.dae1f4p-2f + y * (0x1.99bcaap-4f + y * 0x1.493eb4p-7f))));
  const float power = power_of_two(-0.7213475204f * y * y);  // log2(e) / 2
  const float e = magnitude > kFar ? 0.0f : power, tail = 0.5f * e * (p / q);
  return {x < 0 ? tail : 1 - tail, e * 0.3989422804f};
}

/// x Φ(x).
template <class T>
MINITORCH_INLINED T gelu_straight(T x) {
  return x * normal_at(x).below;
}

/// Φ(x) + x φ(x); where |x| is large that is 0 or 1, and x may be infinite.
template <class T>
MINITORCH_INLINED T gelu_slope(T x) {
  const auto [below, density] = normal_at(x);
  return below + limited(x, T(40)) * density;
}

/// The sigmoid of x and what is missing to 1, neither by a subtraction; 0 and 1 where
/// the exponential would leave the normal numbers.
template <class T>
struct Share {
  T taken, left;
};

template <class T>
MINITORCH_INLINED Share<T> share_at(T x) {
  constexpr T kNormal = MathConstants<T>::kNormal;
  const T magnitude = std::abs(x), c = magnitude > kNormal ? kNormal : magnitude;
  const T e = exp_normal(-c), large = 1 / (1 + e);
  const T small = magnitude > kNormal ? T(0) : e * large;
  return x < 0 ? Share<T>{small, large} : Share<T>{large, small};
}

/// 2u and its slope, where the usual approximation of Φ(x) is ½ (1 + tanh(u)), which is
/// the sigmoid of 2u (Hendrycks and Gimpel, 2016).
template <class T>
struct GeluInner {
  T value, slope;
};

template <class T>
MINITORCH_INLINED GeluInner<T> gelu_inner(T x) {
  constexpr T kScale = 2 * std::numbers::sqrt2_v<T> * std::numbers::inv_sqrtpi_v<T>;
  const T cubic = T(0.044715) * x * x;
  return {kScale * (x + cubic * x), kScale * (1 + 3 * cubic)};
}

/// x times the usual approximation of Φ(x).
template <class T>
MINITORCH_INLINED T gelu_tanh_straight(T x) {
  return x * share_at(gelu_inner(x).value).taken;
}

/// s + x s (1 - s) (2u)', s being the sigmoid of 2u; beyond 40 that is 0 or 1.
template <class T>
MINITORCH_INLINED T gelu_tanh_slope(T x) {
  const T c = limited(x, T(40));
  const GeluInner<T> inner = gelu_inner(c);
  const Share<T> s = share_at(inner.value);
  return s.taken + c * (s.taken * s.left) * inner.slope;
}

template <Range range = Range::All, class T>
MINITORCH_INLINED T silu_straight(T x) {
  return x * sigmoid_straight<range>(x);
}

/// s (1 + x (1 - s)), s being sigmoid(x); where |x| is large that is 0 or 1, and x may
/// be infinite.
template <class T>
MINITORCH_INLINED T silu_slope(T x) {
  const Share<T> s = share_at(x);
  return s.taken * (1 + limited(x, T(800)) * s.left);
}

}  // namespace minitorch::cpu
