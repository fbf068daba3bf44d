// Random numbers on the device: xoroshiro128+ (Blackman and Vigna, 2016), with
// Numba's way to make them uniform or normal. A state is two words side by side.
//
#pragma once

namespace py {

__device__ inline unsigned long long rotate_left(unsigned long long x, int by) {
  return x << by | x >> (64 - by);
}

__device__ inline unsigned long long random_next(unsigned long long* state) {
  const unsigned long long first = state[0], second = state[1];
  const unsigned long long mixed = first ^ second;
  state[0] = rotate_left(first, 55) ^ mixed ^ mixed << 14;
  state[1] = rotate_left(mixed, 36);
  return first + second;
}

// The state 2^64 numbers on.
__device__ inline void random_jump(unsigned long long* state) {
  const unsigned long long taps[] = {0xbeac0467eba5facbULL, 0xd86b048b86aa9922ULL};
  unsigned long long first = 0, second = 0;
#pragma unroll 1
  for (int bit = 0; bit < 128; ++bit) {
    if (taps[bit / 64] >> bit % 64 & 1) {
      first ^= state[0];
      second ^= state[1];
    }
    random_next(state);
  }
  state[0] = first;
  state[1] = second;
}

// In [0, 1): the upper 53 bits.
__device__ inline double random_uniform64(unsigned long long* state) {
  return static_cast<double>(random_next(state) >> 11) * 0x1p-53;
}

// The same number rounded, so 1.0f is possible.
__device__ inline float random_uniform32(unsigned long long* state) {
  return static_cast<float>(random_uniform64(state));
}

// Box-Muller; the second number of the pair is not used.
__device__ inline float random_normal32(unsigned long long* state) {
  const float radius = random_uniform32(state), turn = random_uniform32(state);
  return sqrtf(-2.0f * logf(radius)) * cosf(6.2831855f * turn);
}

// Numba draws these from two float32 numbers, too, and takes their logarithm in
// float32.
__device__ inline double random_normal64(unsigned long long* state) {
  const float radius = random_uniform32(state), turn = random_uniform32(state);
  const double log_radius = logf(radius);
  return sqrt(-2.0 * log_radius) * cos(6.283185307179586 * turn);
}

}  // namespace py
