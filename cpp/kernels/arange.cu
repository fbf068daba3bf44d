// out[i] = start + i * step, each computed from its number, so that no rounding adds
// up.
//
// Launch: grid (ceil(count / block.x)), block (any, 1, 1); none when count is 0.
//
// A thread owns one cell. Shared memory: none.
//
// Spec: Scalar, Working (double, or unsigned long long where out holds integers: the
// sums wrap), Index.
//
// Parameters: out (contiguous), start, step, count.
#include "spec.cuh"

extern "C" __global__ void arange(Scalar* out, Working start, Working step,
                                  Index count) {
  const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) out[i] = static_cast<Scalar>(start + static_cast<Working>(i) * step);
}
