// Python's // and % of integers in a kernel: the quotient is rounded down, and the
// remainder has the divisor's sign. A division by zero is left for the checks to see.
#pragma once

__device__ inline long long floor_quotient(long long a, long long b) {
  const long long quotient = a / b;
  return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

__device__ inline long long floor_remainder(long long a, long long b) {
  const long long remainder = a % b;
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}
