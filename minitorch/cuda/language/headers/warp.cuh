// What the lanes of a warp ask each other: shuffles, votes, matches. The widths
// and results are Numba's.
#pragma once
#include "bits.cuh"

namespace py {

__device__ inline unsigned lanemask_lt() {
  unsigned mask;
  asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}

// The registers that carry a value; a narrow one fills part of a register.
template <class T>
using Carrier = typename WordOf<(sizeof(T) < 4 ? 4 : sizeof(T))>::type;

template <class T>
__device__ inline Carrier<T> packed(T value) {
  Carrier<T> carrier = 0;
  memcpy(&carrier, &value, sizeof(T));
  return carrier;
}
template <class T>
__device__ inline T unpacked(Carrier<T> carrier) {
  T value;
  memcpy(&value, &carrier, sizeof(T));
  return value;
}

template <class T>
__device__ inline T shfl(unsigned mask, T value, int lane) {
  return unpacked<T>(__shfl_sync(mask, packed(value), lane));
}
template <class T>
__device__ inline T shfl_up(unsigned mask, T value, unsigned delta) {
  return unpacked<T>(__shfl_up_sync(mask, packed(value), delta));
}
template <class T>
__device__ inline T shfl_down(unsigned mask, T value, unsigned delta) {
  return unpacked<T>(__shfl_down_sync(mask, packed(value), delta));
}
template <class T>
__device__ inline T shfl_xor(unsigned mask, T value, int bits) {
  return unpacked<T>(__shfl_xor_sync(mask, packed(value), bits));
}

__device__ inline bool all_lanes(unsigned mask, bool test) {
  return __all_sync(mask, test) != 0;
}
__device__ inline bool any_lane(unsigned mask, bool test) {
  return __any_sync(mask, test) != 0;
}
__device__ inline bool equal_lanes(unsigned mask, bool test) {
  return __uni_sync(mask, test) != 0;
}
__device__ inline int ballot(unsigned mask, bool test) {
  return static_cast<int>(__ballot_sync(mask, test));
}

// Lanes with the same bits: 0.0 and -0.0 differ, a NaN is like its copies.
template <class T>
__device__ inline int match_any(unsigned mask, T value) {
  return static_cast<int>(__match_any_sync(mask, bits_as<Word<T>>(value)));
}

// (the mask if all lanes have the same bits, else 0; have they?) as a struct of two.
template <class Pair, class T>
__device__ inline Pair match_all(unsigned mask, T value) {
  int same;
  const unsigned lanes = __match_all_sync(mask, bits_as<Word<T>>(value), &same);
  return Pair{static_cast<int>(lanes), same != 0};
}

// vote.sync by number: 0 all, 1 any, 2 equal, 3 ballot, as (lanes, is it so).
template <class Pair>
__device__ inline Pair vote(unsigned mask, int mode, bool test) {
  if (mode == 3) return Pair{ballot(mask, test), false};
  const bool holds = mode == 0   ? all_lanes(mask, test)
                     : mode == 1 ? any_lane(mask, test)
                                 : equal_lanes(mask, test);
  return Pair{0, holds};
}

}  // namespace py
