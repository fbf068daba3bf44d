// Powers, and the inverse functions of cmath for complex numbers (Kahan, 1987).
#pragma once
#include "complex_circle.cuh"
#include "complex_math.cuh"

namespace py {

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

// Beyond this, the square of a part could overflow; 2z and log(2z) are then exact.
template <class Float>
__device__ inline bool is_huge(Complex<Float> z) {
  const Float bound = sizeof(Float) == 4 ? Float(1e17) : static_cast<Float>(1e150);
  return fabs(z.real) > bound || fabs(z.imag) > bound;
}

// log|2z| where z is huge.
template <class Float>
__device__ inline Float log_twice(Complex<Float> z) {
  return ::log(hypot(z.real / 2, z.imag / 2)) + Float(1.3862943611198906);
}

template <class Float>
__device__ inline Complex<Float> acos(Complex<Float> z) {
  if (is_huge(z)) {
    return {atan2(fabs(z.imag), z.real), copysign(log_twice(z), -z.imag)};
  }
  const Complex<Float> below = sqrt(Complex<Float>{1 - z.real, -z.imag});
  const Complex<Float> above = sqrt(Complex<Float>{1 + z.real, z.imag});
  return {2 * atan2(below.real, above.real),
          ::asinh(above.real * below.imag - above.imag * below.real)};
}

template <class Float>
__device__ inline Complex<Float> acosh(Complex<Float> z) {
  if (is_huge(z)) return {log_twice(z), atan2(z.imag, z.real)};
  const Complex<Float> below = sqrt(Complex<Float>{z.real - 1, z.imag});
  const Complex<Float> above = sqrt(Complex<Float>{z.real + 1, z.imag});
  return {::asinh(below.real * above.real + below.imag * above.imag),
          2 * atan2(below.imag, above.real)};
}

template <class Float>
__device__ inline Complex<Float> asinh(Complex<Float> z) {
  if (is_huge(z)) {
    return {copysign(log_twice(z), z.real), atan2(z.imag, fabs(z.real))};
  }
  const Complex<Float> above = sqrt(Complex<Float>{1 + z.imag, -z.real});
  const Complex<Float> below = sqrt(Complex<Float>{1 - z.imag, z.real});
  return {::asinh(above.real * below.imag - below.real * above.imag),
          atan2(z.imag, above.real * below.real - above.imag * below.imag)};
}

template <class Float>
__device__ inline Complex<Float> atanh(Complex<Float> z) {
  if (z.real < 0 || (z.real == 0 && signbit(z.real))) return -atanh(-z);
  const Float height = fabs(z.imag), quarter = Float(1.5707963267948966);
  if (is_huge(z)) {
    const Float length = hypot(z.real / 2, z.imag / 2);
    const Float real = isinf(length) ? Float(0) : z.real / 4 / length / length;
    return {real, copysign(quarter, z.imag)};
  }
  const Float below = 1 - z.real;
  if (below == 0 && height < Float(1e-15)) {
    if (height == 0) return {infinity_of<Float>(), z.imag};
    return {-::log(::sqrt(height) / ::sqrt(hypot(height, Float(2)))),
            copysign(atan2(Float(2), -height) / 2, z.imag)};
  }
  return {log1p(4 * z.real / (below * below + height * height)) / 4,
          -atan2(-2 * z.imag, below * (1 + z.real) - height * height) / 2};
}

template <class Float>
__device__ inline Complex<Float> asin(Complex<Float> z) {
  return turned_back(asinh(turned(z)));
}
template <class Float>
__device__ inline Complex<Float> atan(Complex<Float> z) {
  return turned_back(atanh(turned(z)));
}

}  // namespace py
