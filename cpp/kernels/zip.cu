// out[i] = Fn(a[i], b[i]) for every element; `a` and `b` may be strided or broadcast.
//
// Launch: grid (ceil(size / block.x)), block (any, 1, 1); none when size is 0.
//
// A thread owns one output cell. Shared memory: none. Each cell of `a` and `b` is read
// once per output cell that it is broadcast to; each cell of `out` is written once.
//
// Spec: Scalar (of out), Source (of a and b), Index, NDIM, Fn.
//
// Parameters: out (contiguous), a, b, shape of the walk, strides of a, strides of b,
// number of outputs.
#include "layout.cuh"
#include "spec.cuh"

extern "C" __global__ void zip(Scalar* out, const Source* a, const Source* b,
                               Shape shape, Strides a_strides, Strides b_strides,
                               Index size) {
  const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const Source left = a[offset_of<NDIM>(i, shape, a_strides)];
  const Source right = b[offset_of<NDIM>(i, shape, b_strides)];
  out[i] = static_cast<Scalar>(Fn()(left, right));
}
