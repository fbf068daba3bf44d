// Python's and NumPy's functions of numbers that CUDA has not, or has otherwise.
//
#pragma once

namespace py {

template <class T>
__device__ inline T gcd(T a, T b) {
  while (b != 0) {
    const T rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? static_cast<T>(-a) : a;
}

// round(x, digits): to even where the scaled number lies between two integers.
template <class Float>
__device__ inline Float round_to(Float x, long long digits) {
  if (!isfinite(x)) return x;
  const double wide = x;
  if (digits < 0) {
    if (digits < -330) return copysign(Float(0), x);
    const double scale = ::pow(10.0, static_cast<double>(-digits));
    return static_cast<Float>(rint(wide / scale) * scale);
  }
  // Beyond 10^22 a power of ten is not exact, and 10^digits may not be finite.
  const double scale =
      ::pow(10.0, static_cast<double>(digits > 22 ? digits - 22 : digits));
  const double more = digits > 22 ? 1e22 : 1.0;
  const double scaled = wide * scale * more;
  if (!isfinite(scaled)) return x;
  return static_cast<Float>(rint(scaled) / more / scale);
}

// (fraction, exponent) and (fraction, whole) as structs of two.
template <class Pair, class Float>
__device__ inline Pair frexp_pair(Float x) {
  int exponent;
  const Float fraction = frexp(x, &exponent);
  return Pair{fraction, isfinite(x) ? exponent : 0};
}
template <class Pair, class Float>
__device__ inline Pair modf_pair(Float x) {
  Float whole;
  const Float fraction = modf(x, &whole);
  return Pair{fraction, whole};
}

// NumPy's: a NaN on either side is the result.
template <class T>
__device__ inline T maximum(T a, T b) {
  return a >= b || a != a ? a : b;
}
template <class T>
__device__ inline T minimum(T a, T b) {
  return a <= b || a != a ? a : b;
}

// Of an integer -1, 0 or 1; of a float also NaN.
template <class T>
__device__ inline T sign(T x) {
  return x > 0 ? T(1) : x < 0 ? T(-1) : x == 0 ? T(0) : x;
}

// A shift by the width or more, or by a negative count, gives what is left: 0 or -1.
template <class T, class Count>
__device__ inline T left_shift(T a, Count by) {
  return by >= 0 && by < 8 * static_cast<int>(sizeof(T)) ? static_cast<T>(a << by)
                                                         : T(0);
}
template <class T, class Count>
__device__ inline T right_shift(T a, Count by) {
  if (by >= 0 && by < 8 * static_cast<int>(sizeof(T))) return static_cast<T>(a >> by);
  return a < T(1) && a != T(0) ? static_cast<T>(-1) : T(0);  // unsigned: no warning
}

}  // namespace py
