// The atomics of cuda.atomic on 4- and 8-byte numbers; each gives the old value.
// Must not know arrays: the caller computes the address. Where that is in a thread's
// own memory, which the compiler mostly knows, no atomic is needed, and no card has
// one.
#pragma once
#include "atomic_update.cuh"
#include "local_atomics.cuh"

namespace py {

template <class T>
__device__ inline T atomic_add(T* at, Same<T> value) {
  if (__isLocal(at)) return local_add(at, value);
  return bits_as<T>(atomicAdd(word_at(at), bits_as<Word<T>>(value)));
}
__device__ inline float atomic_add(float* at, float value) {
  if (__isLocal(at)) return local_add(at, value);
  return atomicAdd(at, value);
}
__device__ inline double atomic_add(double* at, double value) {
  if (__isLocal(at)) return local_add(at, value);
  return atomicAdd(at, value);
}

template <class T>
__device__ inline T atomic_sub(T* at, Same<T> value) {
  if (__isLocal(at)) return local_sub(at, value);
  return atomic_add(at, static_cast<T>(-value));
}

template <class T>
__device__ inline T atomic_and(T* at, Same<T> value) {
  if (__isLocal(at)) return local_and(at, value);
  return bits_as<T>(atomicAnd(word_at(at), bits_as<Word<T>>(value)));
}
template <class T>
__device__ inline T atomic_or(T* at, Same<T> value) {
  if (__isLocal(at)) return local_or(at, value);
  return bits_as<T>(atomicOr(word_at(at), bits_as<Word<T>>(value)));
}
template <class T>
__device__ inline T atomic_xor(T* at, Same<T> value) {
  if (__isLocal(at)) return local_xor(at, value);
  return bits_as<T>(atomicXor(word_at(at), bits_as<Word<T>>(value)));
}
template <class T>
__device__ inline T atomic_exch(T* at, Same<T> value) {
  if (__isLocal(at)) return local_exch(at, value);
  return bits_as<T>(atomicExch(word_at(at), bits_as<Word<T>>(value)));
}
template <class T>
__device__ inline T atomic_cas(T* at, Same<T> old, Same<T> value) {
  if (__isLocal(at)) return local_cas(at, old, value);
  return bits_as<T>(
      atomicCAS(word_at(at), bits_as<Word<T>>(old), bits_as<Word<T>>(value)));
}

// Counts 0, 1, ..., limit, 0, ...
template <class T>
__device__ inline T atomic_inc(T* at, Same<T> limit) {
  if (__isLocal(at)) return local_inc(at, limit);
  if constexpr (sizeof(T) == 4)
    return atomicInc(at, limit);
  else
    return atomic_replace(at, [=](T old) { return old >= limit ? 0 : old + 1; });
}

// Counts limit, ..., 1, 0, limit, ...; what is above the limit becomes the limit.
template <class T>
__device__ inline T atomic_dec(T* at, Same<T> limit) {
  if (__isLocal(at)) return local_dec(at, limit);
  if constexpr (sizeof(T) == 4)
    return atomicDec(at, limit);
  else
    return atomic_replace(at, [=](T old) { return old - 1 < limit ? old - 1 : limit; });
}

// A NaN stays where it is, and one that comes changes nothing: max(old, value) in the
// order of Python's max.
template <class T>
__device__ inline T atomic_max(T* at, Same<T> value) {
  if (__isLocal(at)) return local_max(at, value);
  if constexpr (!kHasFractions<T>)
    return atomicMax(at, value);
  else
    return atomic_update(at, value, [=](T old) { return value > old; });
}
template <class T>
__device__ inline T atomic_min(T* at, Same<T> value) {
  if (__isLocal(at)) return local_min(at, value);
  if constexpr (!kHasFractions<T>)
    return atomicMin(at, value);
  else
    return atomic_update(at, value, [=](T old) { return value < old; });
}

// The same, but a NaN in memory is no value yet.
template <class T>
__device__ inline T atomic_nanmax(T* at, Same<T> value) {
  if (__isLocal(at)) return local_nanmax(at, value);
  if constexpr (!kHasFractions<T>)
    return atomicMax(at, value);
  else
    return atomic_update(at, value, [=](T old) {
      return value > old || (old != old && value == value);
    });
}
template <class T>
__device__ inline T atomic_nanmin(T* at, Same<T> value) {
  if (__isLocal(at)) return local_nanmin(at, value);
  if constexpr (!kHasFractions<T>)
    return atomicMin(at, value);
  else
    return atomic_update(at, value, [=](T old) {
      return value < old || (old != old && value == value);
    });
}

}  // namespace py
