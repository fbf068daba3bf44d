// out[i] = condition[i] ? a[i] : b[i]; all three may be strided or broadcast.
//
// Launch: grid (ceil(size / block.x)), block (any, 1, 1); none when size is 0.
//
// A thread owns one output cell. Shared memory: none. Of `a` and `b` only the chosen
// cell is read.
//
// Spec: Scalar, Condition, Index, NDIM.
//
// Parameters: out (contiguous), condition, a, b, shape of the walk, strides of
// condition, of a and of b, number of outputs.
#include "layout.cuh"
#include "spec.cuh"

extern "C" __global__ void where(Scalar* out, const Condition* condition,
                                 const Scalar* a, const Scalar* b, Shape shape,
                                 Strides condition_strides, Strides a_strides,
                                 Strides b_strides, Index size) {
  const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const bool chosen =
      static_cast<bool>(condition[offset_of<NDIM>(i, shape, condition_strides)]);
  out[i] = chosen ? a[offset_of<NDIM>(i, shape, a_strides)]
                  : b[offset_of<NDIM>(i, shape, b_strides)];
}
