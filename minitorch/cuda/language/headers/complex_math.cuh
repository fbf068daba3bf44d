// Exp, log and sqrt of complex numbers, and their polar form. Infinities are as in
// C99 (annex G). The functions of the circle are in complex_circle.cuh.
#pragma once
#include "complex.cuh"

namespace py {

template <class Float>
__device__ inline Float infinity_of() {
  return static_cast<Float>(__int_as_float(0x7f800000));
}

template <class Float>
__device__ inline bool isnan_complex(Complex<Float> z) {
  return isnan(z.real) || isnan(z.imag);
}
template <class Float>
__device__ inline bool isinf_complex(Complex<Float> z) {
  return isinf(z.real) || isinf(z.imag);
}
template <class Float>
__device__ inline bool isfinite_complex(Complex<Float> z) {
  return isfinite(z.real) && isfinite(z.imag);
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

template <class Float>
__device__ inline Complex<Float> log(Complex<Float> z) {
  const Float x = fabs(z.real), y = fabs(z.imag);
  const Float large = x > y ? x : y, small = x > y ? y : x;
  const Float length = hypot(x, y);
  Float real;
  if (length > Float(0.5) && length < Float(2)) {  // log1p is exact near 1
    real = log1p((large - 1) * (large + 1) + small * small) / 2;
  } else if (isinf(length) && isfinite(x) && isfinite(y)) {
    real = ::log(hypot(x / 2, y / 2)) + Float(0.6931471805599453);
  } else {
    real = ::log(length);
  }
  return {real, phase(z)};
}

template <class Float>
__device__ inline Complex<Float> log10(Complex<Float> z) {
  const Complex<Float> natural = log(z);
  const Float scale = Float(0.4342944819032518);
  return {natural.real * scale, natural.imag * scale};
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

}  // namespace py
