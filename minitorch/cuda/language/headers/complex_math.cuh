// Exp, sqrt and powers of complex numbers, and their polar form. Infinities are as in
// C99 (annex G).
#pragma once
#include "complex.cuh"

namespace py {

template <class Float>
__device__ inline Float infinity_of() {
  return static_cast<Float>(__int_as_float(0x7f800000));
}

template <class Float>
__device__ inline Float phase(Complex<Float> z) {
  return atan2(z.imag, z.real);
}

// scale * (cos, sin) of an angle; a zero part stays zero where the scale is infinite.
template <class Float>
__device__ inline Complex<Float> rect(Float scale, Float angle) {
  if (!isfinite(angle)) {
    if (scale == 0) return {fabs(scale), 0};
    if (isinf(scale)) return {scale, angle - angle};
  }
  const Float x = ::cos(angle), y = ::sin(angle);
  return {x == 0 ? copysign(x, x * copysign(Float(1), scale)) : scale * x,
          y == 0 ? copysign(y, y * copysign(Float(1), scale)) : scale * y};
}

template <class Float>
__device__ inline Complex<Float> exp(Complex<Float> z) {
  if (isnan(z.real) && z.imag == 0) return z;
  if (!isfinite(z.imag)) {
    const Float none = z.imag - z.imag;
    if (!isinf(z.real)) return {none, none};
    return z.real < 0 ? Complex<Float>{0, 0} : Complex<Float>{z.real, none};
  }
  return rect(::exp(z.real), z.imag);
}

// The half-plane to the right of the axis; the sign of a zero imaginary part counts.
template <class Float>
__device__ inline Complex<Float> sqrt(Complex<Float> z) {
  if (z.real == 0 && z.imag == 0) return {0, z.imag};
  if (isinf(z.imag)) return {infinity_of<Float>(), z.imag};
  if (isinf(z.real)) {
    const Float other = isnan(z.imag) ? z.imag : Float(0);
    if (z.real > 0) return {z.real, isnan(other) ? other : copysign(other, z.imag)};
    return {other, copysign(-z.real, z.imag)};
  }
  // Scaled by 1/4 or 4^k, so that neither the length nor its half is out of range.
  const Float most = fmax(fabs(z.real), fabs(z.imag));
  const bool tiny = most < Float(1e-30);
  const Float in = tiny ? Float(0x1p80) : Float(0.0625);
  const Float out = tiny ? Float(0x1p-40) : Float(4);
  const Float x = fabs(z.real) * in, y = fabs(z.imag) * in;
  const Float root = ::sqrt((hypot(x, y) + x) / 2);
  const Float main = root * out, rest = y / (2 * root) * out;
  if (z.real >= 0) return {main, copysign(rest, z.imag)};
  return {rest, copysign(main, z.imag)};
}

// Whole powers up to 100 by squaring, as NumPy and Python do; 0 to the power of
// anything but a positive real number has no value.
template <class Float>
__device__ inline Complex<Float> pow(Complex<Float> base, Complex<Float> exponent) {
  if (exponent.real == 0 && exponent.imag == 0) return {1, 0};
  if (base.real == 0 && base.imag == 0) {
    const Float none = infinity_of<Float>() - infinity_of<Float>();
    if (exponent.real > 0 && exponent.imag == 0) return {0, 0};
    return {none, none};
  }
  const int whole = static_cast<int>(exponent.real);
  if (exponent.imag == 0 && whole == exponent.real && whole > -100 && whole < 100) {
    Complex<Float> result{1, 0};
    for (int left = whole < 0 ? -whole : whole; left != 0; left >>= 1) {
      if (left & 1) result = result * base;
      base = base * base;
    }
    return whole < 0 ? Complex<Float>{1, 0} / result : result;
  }
  const Float angle = phase(base), size = py::abs(base);
  const Float turn = exponent.real * angle + exponent.imag * ::log(size);
  return rect(::pow(size, exponent.real) * ::exp(-exponent.imag * angle), turn);
}

}  // namespace py
