// Complex numbers: the type and its arithmetic, as NumPy and Python define it.
// Functions such as exp are in complex_math.cuh.
#pragma once

template <class Float>
struct Complex {
  Float real, imag;

  Complex() = default;
  template <class Real>
  __device__ Complex(Real real) : real(static_cast<Float>(real)), imag(0) {}
  __device__ constexpr Complex(Float real, Float imag) : real(real), imag(imag) {}
  template <class Other>
  __device__ explicit Complex(Complex<Other> other)
      : real(static_cast<Float>(other.real)), imag(static_cast<Float>(other.imag)) {}

  __device__ Complex operator-() const { return {-real, -imag}; }
  __device__ explicit operator bool() const { return real != 0 || imag != 0; }

  __device__ friend Complex operator+(Complex a, Complex b) {
    return {a.real + b.real, a.imag + b.imag};
  }
  __device__ friend Complex operator-(Complex a, Complex b) {
    return {a.real - b.real, a.imag - b.imag};
  }
  __device__ friend Complex operator*(Complex a, Complex b) {
    return {a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
  }
  __device__ friend bool operator==(Complex a, Complex b) {
    return a.real == b.real && a.imag == b.imag;
  }
  __device__ friend bool operator!=(Complex a, Complex b) { return !(a == b); }

  // Scaled by the larger part of b (Smith, 1962), so that its square cannot overflow.
  __device__ friend Complex operator/(Complex a, Complex b) {
    const Float x = fabs(b.real), y = fabs(b.imag);
    if (x == 0 && y == 0) return {a.real / x, a.imag / x};
    if (x >= y) {
      const Float ratio = b.imag / b.real;
      const Float scale = 1 / (b.real + b.imag * ratio);
      return {(a.real + a.imag * ratio) * scale, (a.imag - a.real * ratio) * scale};
    }
    const Float ratio = b.real / b.imag;
    const Float scale = 1 / (b.imag + b.real * ratio);
    return {(a.real * ratio + a.imag) * scale, (a.imag * ratio - a.real) * scale};
  }
};

template <class Float>
__device__ inline Float real_part(Complex<Float> z) {
  return z.real;
}
template <class Float>
__device__ inline Float imag_part(Complex<Float> z) {
  return z.imag;
}

namespace py {

template <class Float>
__device__ inline Float abs(Complex<Float> z) {
  return hypot(z.real, z.imag);
}

template <class Float>
__device__ inline Complex<Float> conjugate(Complex<Float> z) {
  return {z.real, -z.imag};
}

}  // namespace py
