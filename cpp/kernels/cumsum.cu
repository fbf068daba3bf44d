// out[i] = sum of the cells up to i along one dimension.
//
// Launch: grid (lines), block (TILE, 1, 1); none without cells.
//
// A block walks one line, TILE cells at a time: in log2(TILE) steps every thread adds
// the partial sum that lies 1, 2, 4, … cells before its own (Hillis and Steele), then
// the sum of all chunks before. Shared memory: `partial`, a cell per thread, written
// once per step; `carry`, the sum so far.
//
// Spec: Scalar, Index, NDIM (of the kept dimensions), TILE.
//
// Parameters: out, in, shape of the kept dimensions, strides of `out` and of `in` along
// them, length of the dimension, step in `out` and in `in`.
#include "layout.cuh"
#include "spec.cuh"

extern "C" __global__ void cumsum(Scalar* out, const Scalar* in, Shape shape,
                                  Strides out_strides, Strides in_strides, Index length,
                                  Index out_step, Index in_step) {
  __shared__ Scalar partial[TILE];
  const int t = threadIdx.x;
  const Index line = blockIdx.x;
  out += offset_of<NDIM>(line, shape, out_strides);
  in += offset_of<NDIM>(line, shape, in_strides);
  Scalar carry = 0;
#pragma unroll 1
  for (Index start = 0; start < length; start += TILE) {
    const Index i = start + t;
    Scalar sum = i < length ? in[i * in_step] : Scalar(0);
#pragma unroll 1
    for (int before = 1; before < TILE; before *= 2) {
      partial[t] = sum;
      __syncthreads();
      if (t >= before) sum += partial[t - before];
      __syncthreads();
    }
    partial[t] = sum;
    __syncthreads();
    if (i < length) out[i * out_step] = carry + sum;
    carry += partial[TILE - 1];
    __syncthreads();
  }
}
