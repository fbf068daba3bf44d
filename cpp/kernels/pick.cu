// out[i] = one cell of the i-th window's plane, at a position found before: the values
// that max_pool2d.cu found, from another array of the same shape.
//
// x (planes, image), at (planes, windows) -> out (planes, windows); 0 where `at` is -1.
//
// Launch: grid (ceil(cells of out / block.x)), block (any, 1, 1); none when out is
// empty.
//
// A thread owns one cell of out. Shared memory: none.
//
// Spec: Scalar, Index.
//
// Parameters: out, x, at, all contiguous; windows and cells of a plane; cells of out.
#include "spec.cuh"

extern "C" __global__ void pick(Scalar* out, const Scalar* x, const int* at,
                                Index windows, Index image, Index cells) {
  const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  out[i] = at[i] < 0 ? Scalar(0) : x[i / windows * image + at[i]];
}
