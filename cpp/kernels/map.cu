// out[i] = Fn(in[i]) for every element; `in` may be strided or broadcast.
//
// Launch: grid (ceil(size / block.x)), block (any, 1, 1); none when size is 0.
//
// A thread owns one output cell. Shared memory: none. Each cell of `in` is read once
// per output cell that it is broadcast to; each cell of `out` is written once.
//
// Spec: Scalar, Index, NDIM, Fn.
//
// Parameters: out (contiguous), in, shape of the walk, strides of in, number of
// outputs.
#include "layout.cuh"
#include "spec.cuh"

extern "C" __global__ void map(Scalar* out, const Scalar* in, Shape shape,
                               Strides in_strides, Index size) {
  const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  out[i] = static_cast<Scalar>(Fn()(in[offset_of<NDIM>(i, shape, in_strides)]));
}
