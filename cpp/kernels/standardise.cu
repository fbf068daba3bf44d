// y = (x - mean) / sqrt(variance + epsilon), with mean and (biased) variance of each
// group of cells: the heart of layer and batch normalisation.
//
// x (outer, groups, inner) -> y of the same shape; mean, variance and scale (groups,),
// scale being 1 / sqrt(variance + epsilon)
//
// Launch: grid (groups), block (TILE, 1, 1).
//
// A block owns one group: outer * inner cells, of which its threads take every TILE-th.
// It reads them three times: for the mean, for the variance, and for y. Shared memory:
// `partial`, one cell per thread.
//
// Spec: Scalar, Index, TILE (a power of two).
//
// Parameters: y, mean, variance, scale, x, all contiguous; outer, groups, inner;
// epsilon.
#include "block_sum.cuh"
#include "spec.cuh"

extern "C" __global__ void standardise(Scalar* y, Scalar* mean, Scalar* variance,
                                       Scalar* scale, const Scalar* x, Index outer,
                                       Index groups, Index inner, Scalar epsilon) {
  __shared__ Scalar partial[TILE];
  const Index group = blockIdx.x;
  const Index cells = outer * inner;
  const int t = threadIdx.x;

  Scalar sum = 0;
#pragma unroll 1
  for (Index i = t; i < cells; i += TILE)
    sum += x[(i / inner * groups + group) * inner + i % inner];
  const Scalar middle = block_sum(sum, partial) / static_cast<Scalar>(cells);

  Scalar squares = 0;
#pragma unroll 1
  for (Index i = t; i < cells; i += TILE) {
    const Scalar off = x[(i / inner * groups + group) * inner + i % inner] - middle;
    squares += off * off;
  }
  const Scalar spread = block_sum(squares, partial) / static_cast<Scalar>(cells);
  const Scalar factor = 1 / sqrt(spread + epsilon);

#pragma unroll 1
  for (Index i = t; i < cells; i += TILE) {
    const Index at = (i / inner * groups + group) * inner + i % inner;
    y[at] = (x[at] - middle) * factor;
  }
  if (t != 0) return;
  mean[group] = middle;
  variance[group] = spread;
  scale[group] = factor;
}
