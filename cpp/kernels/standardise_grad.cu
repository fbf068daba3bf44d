// dx = scale * (g - mean of g - y * mean of g * y), the means over each group, with
// y = (x - mean) * scale: what standardise.cu does, taken back.
//
// g, x (outer, groups, inner), mean and scale (groups,) -> dx (outer, groups, inner)
//
// Launch: grid (groups), block (TILE, 1, 1).
//
// A block owns one group: outer * inner cells, of which its threads take every TILE-th.
// It reads them twice: for the two means, and for dx. Shared memory: `partial`, one
// cell per thread.
//
// Spec: Scalar, Index, TILE (a power of two).
//
// Parameters: dx, g, x, mean, scale, all contiguous; outer, groups, inner.
#include "block_sum.cuh"
#include "spec.cuh"

extern "C" __global__ void standardise_grad(Scalar* dx, const Scalar* g,
                                            const Scalar* x, const Scalar* mean,
                                            const Scalar* scale, Index outer,
                                            Index groups, Index inner) {
  __shared__ Scalar partial[TILE];
  const Index group = blockIdx.x;
  const Index cells = outer * inner;
  const int t = threadIdx.x;
  const Scalar middle = mean[group];
  const Scalar factor = scale[group];

  Scalar sum = 0, along = 0;
#pragma unroll 1
  for (Index i = t; i < cells; i += TILE) {
    const Index at = (i / inner * groups + group) * inner + i % inner;
    sum += g[at];
    along += g[at] * (x[at] - middle) * factor;
  }
  const Scalar constant = block_sum(sum, partial) / static_cast<Scalar>(cells);
  const Scalar slope = block_sum(along, partial) / static_cast<Scalar>(cells);

#pragma unroll 1
  for (Index i = t; i < cells; i += TILE) {
    const Index at = (i / inner * groups + group) * inner + i % inner;
    dx[at] = factor * (g[at] - constant - (x[at] - middle) * factor * slope);
  }
}
