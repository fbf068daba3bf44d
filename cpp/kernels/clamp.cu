// out[i] = a[i] limited to low … high; a NaN stays. `a` may be strided.
//
// Launch: grid (ceil(size / block.x)), block (any, 1, 1); none when size is 0.
//
// A thread owns one output cell. Shared memory: none.
//
// Spec: Scalar (of out), Source (of a), Working (of the limits), Index, NDIM.
//
// Parameters: out (contiguous), a, low, high, shape of the walk, strides of a, number
// of outputs.
#include "layout.cuh"
#include "spec.cuh"

extern "C" __global__ void clamp(Scalar* out, const Source* a, Working low,
                                 Working high, Shape shape, Strides a_strides,
                                 Index size) {
  const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const Working x = static_cast<Working>(a[offset_of<NDIM>(i, shape, a_strides)]);
  const Working raised = x > low || x != x ? x : low;
  out[i] = static_cast<Scalar>(raised < high || raised != raised ? raised : high);
}
