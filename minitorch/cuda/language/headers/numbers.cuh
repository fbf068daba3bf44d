// Python's and NumPy's functions of numbers that CUDA has not, or has otherwise.
#pragma once

namespace py {

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

// NumPy's: a NaN on either side is the result.
template <class T>
__device__ inline T maximum(T a, T b) {
  return a >= b || a != a ? a : b;
}
template <class T>
__device__ inline T minimum(T a, T b) {
  return a <= b || a != a ? a : b;
}

}  // namespace py
