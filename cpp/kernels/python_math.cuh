// Python's //, %, **, min and max where C++ differs: division floors, and the remainder
// has the sign of the divisor. Integer division by zero gives 0, a float one inf or nan
// as IEEE has it. The CPU evaluator (cpu/scalar_math.h) computes the same, step by
// step.
#pragma once

__device__ inline long long floor_divide(long long a, long long b) {
  if (b == 0) return 0;
  if (b == -1) return -a;  // also where a / b would overflow
  const long long quotient = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

__device__ inline long long floor_modulo(long long a, long long b) {
  if (b == 0 || b == -1) return 0;
  const long long remainder = a % b;
  return (remainder != 0 && (remainder < 0) != (b < 0)) ? remainder + b : remainder;
}

// The remainder is exact; a zero has the divisor's sign.
template <class Float>
__device__ inline Float floor_modulo(Float a, Float b) {
  const Float remainder = fmod(a, b);
  if (remainder == 0) return b == 0 ? remainder : copysign(Float(0), b);
  return (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

// Through the remainder, so that rounding of a / b cannot lift it to the next integer.
template <class Float>
__device__ inline Float floor_divide(Float a, Float b) {
  if (b == 0) return a / b;
  const Float remainder = fmod(a, b);
  Float quotient = (a - remainder) / b;
  if (remainder != 0 && (remainder < 0) != (b < 0)) quotient -= 1;
  if (quotient == 0) return copysign(Float(0), a / b);
  const Float below = floor(quotient);
  return quotient - below > Float(0.5) ? below + 1 : below;
}

// Python's order decides about NaN and signed zeros.
template <class Number>
__device__ inline Number python_min(Number a, Number b) {
  return b < a ? b : a;
}

template <class Number>
__device__ inline Number python_max(Number a, Number b) {
  return b > a ? b : a;
}

// base ** exponent by repeated squaring; a negative exponent inverts the result.
template <class Float>
__device__ inline Float power(Float base, long long exponent) {
  unsigned long long left = exponent < 0 ? 0ULL - exponent : exponent;
  Float result = 1;
  for (; left != 0; left >>= 1) {
    if (left & 1) result *= base;
    base *= base;
  }
  return exponent < 0 ? 1 / result : result;
}

// Among integers 1 / base ** -exponent is truncated, and 0 where base is 0.
__device__ inline long long power(long long base, long long exponent) {
  if (exponent < 0) {
    if (base == 1 || base == -1) return exponent % 2 != 0 ? base : 1;
    return 0;
  }
  unsigned long long result = 1, square = base;
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result *= square;
    square *= square;
  }
  return result;
}
