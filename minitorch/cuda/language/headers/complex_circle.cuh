// The functions of the hyperbola and the circle for complex numbers. Infinities
// are as in C99 (annex G).
#pragma once
#include "complex.cuh"

namespace py {

template <class Float>
__device__ inline Complex<Float> sinh(Complex<Float> z) {
  if (z.imag == 0) return {::sinh(z.real), z.imag};
  if (!isfinite(z.imag) && (z.real == 0 || isinf(z.real))) {
    return {z.real, z.imag - z.imag};
  }
  return {::sinh(z.real) * ::cos(z.imag), ::cosh(z.real) * ::sin(z.imag)};
}
template <class Float>
__device__ inline Complex<Float> cosh(Complex<Float> z) {
  if (z.imag == 0) return {::cosh(z.real), copysign(z.imag, z.real * z.imag)};
  if (z.real == 0 && !isfinite(z.imag)) return {z.imag - z.imag, 0};
  if (isinf(z.real) && !isfinite(z.imag)) return {fabs(z.real), z.imag - z.imag};
  if (z.real == 0) return {::cos(z.imag), z.real * ::sin(z.imag)};
  return {::cosh(z.real) * ::cos(z.imag), ::sinh(z.real) * ::sin(z.imag)};
}
template <class Float>
__device__ inline Complex<Float> tanh(Complex<Float> z) {
  if (fabs(z.real) > 20) {  // 1 to the last bit; cosh could overflow
    const Float less = 4 * ::exp(-2 * fabs(z.real));
    const bool finite = isfinite(z.imag);
    const Float turn = finite ? ::sin(z.imag) * ::cos(z.imag) : z.imag - z.imag;
    if (isinf(z.real)) return {copysign(Float(1), z.real), copysign(Float(0), turn)};
    return {copysign(Float(1), z.real), turn * less};
  }
  if (z.real == 0 && !isfinite(z.imag)) return {z.real, z.imag - z.imag};
  const Float tangent = ::tan(z.imag), sine = ::sinh(z.real), cosine = ::cosh(z.real);
  const Float inverse = 1 + tangent * tangent;
  const Float below = 1 + inverse * sine * sine;
  return {inverse * cosine * sine / below, tangent / below};
}

// The functions of the circle are those of the hyperbola, a quarter turned.
template <class Float>
__device__ inline Complex<Float> turned(Complex<Float> z) {
  return {-z.imag, z.real};
}
template <class Float>
__device__ inline Complex<Float> turned_back(Complex<Float> z) {
  return {z.imag, -z.real};
}
template <class Float>
__device__ inline Complex<Float> sin(Complex<Float> z) {
  return turned_back(sinh(turned(z)));
}
template <class Float>
__device__ inline Complex<Float> cos(Complex<Float> z) {
  return cosh(turned(z));
}
template <class Float>
__device__ inline Complex<Float> tan(Complex<Float> z) {
  return turned_back(tanh(turned(z)));
}

}  // namespace py
