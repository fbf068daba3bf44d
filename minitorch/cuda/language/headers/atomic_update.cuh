// The change of a number by compare-and-swap, for what no card does at once.
#pragma once
#include "bits.cuh"

namespace py {

// CUDA's own functions know unsigned long long, not long long.
template <class T>
__device__ inline Word<T>* word_at(T* at) {
  return reinterpret_cast<Word<T>*>(at);
}

template <class T>
constexpr bool kHasFractions = T(0.5) != T(0);

// Stores what `next` makes of the old value, once nobody came between; gives the old.
template <class T, class Next>
__device__ inline T atomic_replace(T* at, Next next) {
  Word<T> seen = atomicOr(word_at(at), Word<T>(0));
  for (;;) {
    const T wanted = next(bits_as<T>(seen));
    const Word<T> found = atomicCAS(word_at(at), seen, bits_as<Word<T>>(wanted));
    if (found == seen) return bits_as<T>(seen);
    seen = found;
  }
}

// Stores `value` where it is to come after the old one; gives the old.
template <class T, class Better>
__device__ inline T atomic_update(T* at, T value, Better better) {
  Word<T> seen = atomicOr(word_at(at), Word<T>(0));
  while (better(bits_as<T>(seen))) {
    const Word<T> found = atomicCAS(word_at(at), seen, bits_as<Word<T>>(value));
    if (found == seen) break;
    seen = found;
  }
  return bits_as<T>(seen);
}

}  // namespace py
