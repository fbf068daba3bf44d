// out[i with index[i] in place of the coordinate along one dimension] = a[i], or +=
// with ADD: the way back from gather.cu. Without ADD equal indices must bring equal
// values, or any of them stays.
//
// Launch: grid (ceil(size / block.x)), block (any, 1, 1); none when size is 0.
//
// A thread owns one cell of `a`. Shared memory: none. Cells of `out` that several
// threads add to are updated atomically, in any order: floating sums may differ in the
// last bits from run to run.
//
// Spec: Scalar, Index, NDIM, ADD.
//
// Parameters: out, a, index (within -length … length - 1), shape of the walk, strides
// of out (0 along the dimension), of a and of index, length and step of the dimension
// in out, number of cells of a.
#include "layout.cuh"
#include "spec.cuh"

template <class T>
__device__ inline void add_to(T* cell, T value) {
  atomicAdd(cell, value);
}
__device__ inline void add_to(long long* cell, long long value) {
  // Sums of two's complement are the same for both signs.
  atomicAdd(reinterpret_cast<unsigned long long*>(cell),
            static_cast<unsigned long long>(value));
}

extern "C" __global__ void scatter(Scalar* out, const Scalar* a, const long long* index,
                                   Shape shape, Strides out_strides, Strides a_strides,
                                   Strides index_strides, Index length, Index step,
                                   Index size) {
  const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  Index at = static_cast<Index>(index[offset_of<NDIM>(i, shape, index_strides)]);
  if (at < 0) at += length;  // counted from the end
  Scalar* cell = out + offset_of<NDIM>(i, shape, out_strides) + at * step;
  const Scalar value = a[offset_of<NDIM>(i, shape, a_strides)];
  if constexpr (ADD) {
    add_to(cell, value);
  } else {
    *cell = value;
  }
}
