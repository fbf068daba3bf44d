// What a Python kernel's arrays are in CUDA C++, and how Python's indices reach into
// them: a negative one counts from the end, a slice stays inside.
#pragma once

// Strides count elements. A kernel gets it by value, as 8-byte fields.
template <class T, int N>
struct Array {
  T* data;
  long long shape[N];
  long long strides[N];
};

template <class T>
struct Array<T, 0> {
  T* data;
};

// Items of one type, as Python's tuples of them.
template <class T, int N>
struct Tuple {
  T items[N];
};

__device__ inline long long wrap(long long index, long long size) {
  return index < 0 ? index + size : index;
}

// A bound of a slice with a positive step, from 0 to size.
__device__ inline long long slice_bound(long long index, long long size) {
  index = wrap(index, size);
  return index < 0 ? 0 : index > size ? size : index;
}

// A bound of a slice with a negative step, from -1 to size - 1.
__device__ inline long long slice_bound_back(long long index, long long size) {
  index = wrap(index, size);
  return index < 0 ? -1 : index >= size ? size - 1 : index;
}

// How many values `range(start, stop, step)` has.
__device__ inline long long slice_length(long long start, long long stop,
                                         long long step) {
  const long long way = step > 0 ? stop - start : start - stop;
  const long long stride = step > 0 ? step : -step;
  return way <= 0 || stride == 0 ? 0 : (way + stride - 1) / stride;
}

__device__ inline long long shorter(long long a, long long b) { return a < b ? a : b; }

// Does a loop go on? A step of 0 ends it at once.
template <class T>
__device__ inline bool in_range(T value, T stop, T step) {
  return step > 0 ? value < stop : step < 0 && value > stop;
}

// An item of a tuple by a number known only now.
template <class T, class... Others>
__device__ inline T pick(long long index, T first, Others... others) {
  const T items[] = {first, T(others)...};
  return items[wrap(index, 1 + static_cast<long long>(sizeof...(others)))];
}

// Lets an array lie in memory, whatever the compiler knows of its values.
template <class T>
__device__ __forceinline__ void keep_in_memory(T& array) {
  asm volatile("" ::"l"(&array) : "memory");
}

// All dynamic shared memory of the block as an array of T.
extern __shared__ __align__(16) unsigned char dynamic_shared[];

template <class T>
__device__ inline Array<T, 1> dynamic_array() {
  unsigned bytes;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  return {reinterpret_cast<T*>(dynamic_shared),
          {static_cast<long long>(bytes / sizeof(T))},
          {1}};
}
