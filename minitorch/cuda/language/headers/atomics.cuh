// Owns the atomics of cuda.atomic on 4- and 8-byte numbers; each gives the old value.
// Must not know arrays: the caller computes the address.
#pragma once
#include "bits.cuh"

namespace py {

// CUDA's own functions know unsigned long long, not long long.
template <class T>
__device__ inline Word<T>* word_at(T* at) {
  return reinterpret_cast<Word<T>*>(at);
}

// Changes a value by compare-and-swap until nobody came between. `next(old, wanted)`
// sets `wanted`, or is false to leave the value as it is.
template <class T, class Next>
__device__ inline T atomic_update(T* at, Next next) {
  Word<T> seen = atomicOr(word_at(at), Word<T>(0));
  for (;;) {
    const T old = bits_as<T>(seen);
    T wanted;
    if (!next(old, wanted)) return old;
    const Word<T> found = atomicCAS(word_at(at), seen, bits_as<Word<T>>(wanted));
    if (found == seen) return old;
    seen = found;
  }
}

template <class T>
__device__ inline T atomic_add(T* at, Same<T> value) {
  return bits_as<T>(atomicAdd(word_at(at), bits_as<Word<T>>(value)));
}
__device__ inline float atomic_add(float* at, float value) {
  return atomicAdd(at, value);
}
__device__ inline double atomic_add(double* at, double value) {
  return atomicAdd(at, value);
}

template <class T>
__device__ inline T atomic_sub(T* at, Same<T> value) {
  return atomic_add(at, static_cast<T>(-value));
}

template <class T>
__device__ inline T atomic_and(T* at, Same<T> value) {
  return bits_as<T>(atomicAnd(word_at(at), bits_as<Word<T>>(value)));
}
template <class T>
__device__ inline T atomic_or(T* at, Same<T> value) {
  return bits_as<T>(atomicOr(word_at(at), bits_as<Word<T>>(value)));
}
template <class T>
__device__ inline T atomic_xor(T* at, Same<T> value) {
  return bits_as<T>(atomicXor(word_at(at), bits_as<Word<T>>(value)));
}
template <class T>
__device__ inline T atomic_exch(T* at, Same<T> value) {
  return bits_as<T>(atomicExch(word_at(at), bits_as<Word<T>>(value)));
}
template <class T>
__device__ inline T atomic_cas(T* at, Same<T> old, Same<T> value) {
  return bits_as<T>(
      atomicCAS(word_at(at), bits_as<Word<T>>(old), bits_as<Word<T>>(value)));
}

// Counts 0, 1, ..., limit, 0, ...
__device__ inline unsigned atomic_inc(unsigned* at, unsigned limit) {
  return atomicInc(at, limit);
}
__device__ inline unsigned long long atomic_inc(unsigned long long* at,
                                                unsigned long long limit) {
  return atomic_update(at, [=](unsigned long long old, unsigned long long& wanted) {
    wanted = old >= limit ? 0 : old + 1;
    return true;
  });
}

// Counts limit, ..., 1, 0, limit, ...; what is above the limit becomes the limit.
__device__ inline unsigned atomic_dec(unsigned* at, unsigned limit) {
  return atomicDec(at, limit);
}
__device__ inline unsigned long long atomic_dec(unsigned long long* at,
                                                unsigned long long limit) {
  return atomic_update(at, [=](unsigned long long old, unsigned long long& wanted) {
    wanted = old == 0 || old > limit ? limit : old - 1;
    return true;
  });
}

// A NaN stays where it is, and one that comes changes nothing: max(old, value) in the
// order of Python's max.
template <class T>
__device__ inline T atomic_max(T* at, Same<T> value) {
  return atomicMax(at, value);
}
template <class T>
__device__ inline T atomic_min(T* at, Same<T> value) {
  return atomicMin(at, value);
}

// The same, but a NaN in memory is no value yet.
template <class T>
__device__ inline T atomic_nanmax(T* at, Same<T> value) {
  return atomicMax(at, value);
}
template <class T>
__device__ inline T atomic_nanmin(T* at, Same<T> value) {
  return atomicMin(at, value);
}

#define MINITORCH_FLOAT_EXTREMES(Float)                           \
  __device__ inline Float atomic_max(Float* at, Float value) {    \
    return atomic_update(at, [=](Float old, Float& wanted) {      \
      wanted = value;                                             \
      return value > old;                                         \
    });                                                           \
  }                                                               \
  __device__ inline Float atomic_min(Float* at, Float value) {    \
    return atomic_update(at, [=](Float old, Float& wanted) {      \
      wanted = value;                                             \
      return value < old;                                         \
    });                                                           \
  }                                                               \
  __device__ inline Float atomic_nanmax(Float* at, Float value) { \
    return atomic_update(at, [=](Float old, Float& wanted) {      \
      wanted = value;                                             \
      return value > old || (old != old && value == value);       \
    });                                                           \
  }                                                               \
  __device__ inline Float atomic_nanmin(Float* at, Float value) { \
    return atomic_update(at, [=](Float old, Float& wanted) {      \
      wanted = value;                                             \
      return value < old || (old != old && value == value);       \
    });                                                           \
  }
MINITORCH_FLOAT_EXTREMES(float)
MINITORCH_FLOAT_EXTREMES(double)
#undef MINITORCH_FLOAT_EXTREMES

}  // namespace py
