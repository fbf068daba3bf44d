// Cuda.atomic on a thread's own arrays: no card has atomics there, and nobody else
// can come between. Each gives the old value, like the ones in atomics.cuh.
#pragma once
#include "bits.cuh"

namespace py {

template <class T>
__device__ inline T replaced(T* at, T value) {
  const T old = *at;
  *at = value;
  return old;
}

template <class T>
__device__ inline T local_add(T* at, Same<T> value) {
  return replaced(at, static_cast<T>(*at + value));
}
template <class T>
__device__ inline T local_sub(T* at, Same<T> value) {
  return replaced(at, static_cast<T>(*at - value));
}
template <class T>
__device__ inline T local_and(T* at, Same<T> value) {
  return replaced(at, static_cast<T>(*at & value));
}
template <class T>
__device__ inline T local_or(T* at, Same<T> value) {
  return replaced(at, static_cast<T>(*at | value));
}
template <class T>
__device__ inline T local_xor(T* at, Same<T> value) {
  return replaced(at, static_cast<T>(*at ^ value));
}
template <class T>
__device__ inline T local_exch(T* at, Same<T> value) {
  return replaced(at, value);
}
template <class T>
__device__ inline T local_cas(T* at, Same<T> old, Same<T> value) {
  return *at == old ? replaced(at, value) : *at;
}
template <class T>
__device__ inline T local_inc(T* at, Same<T> limit) {
  return replaced(at, static_cast<T>(*at >= limit ? 0 : *at + 1));
}
template <class T>
__device__ inline T local_dec(T* at, Same<T> limit) {
  return replaced(at, *at == 0 || *at > limit ? limit : static_cast<T>(*at - 1));
}
template <class T>
__device__ inline T local_max(T* at, Same<T> value) {
  return replaced(at, value > *at ? value : *at);
}
template <class T>
__device__ inline T local_min(T* at, Same<T> value) {
  return replaced(at, value < *at ? value : *at);
}
template <class T>
__device__ inline T local_nanmax(T* at, Same<T> value) {
  return replaced(at, value > *at || *at != *at ? value : *at);
}
template <class T>
__device__ inline T local_nanmin(T* at, Same<T> value) {
  return replaced(at, value < *at || *at != *at ? value : *at);
}

}  // namespace py
