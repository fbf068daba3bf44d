// out[i] = value for every element of a strided array: zeros, ones, full, fill a view.
//
// Launch: grid (ceil(size / block.x)), block (any, 1, 1); none when size is 0.
//
// A thread owns one cell, which it writes once. Shared memory: none.
//
// Spec: Scalar, Index, NDIM.
//
// Parameters: out, shape of the walk, strides of out, number of cells, value.
#include "layout.cuh"
#include "spec.cuh"

extern "C" __global__ void fill(Scalar* out, Shape shape, Strides out_strides,
                                Index size, Scalar value) {
  const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < size) out[offset_of<NDIM>(i, shape, out_strides)] = value;
}
