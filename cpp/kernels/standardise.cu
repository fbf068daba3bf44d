// y = (x - mean) / sqrt(variance + epsilon) * weight + bias, with mean and (biased)
// variance of each group of cells: layer and batch normalisation.
//
// x (outer, groups, inner) -> y of the same shape; mean, variance and scale (groups,),
// scale being 1 / sqrt(variance + epsilon); weight and bias (groups,), or with
// AFFINE_OF_CELLS (inner,) where outer is 1
//
// Launch: grid (groups), block (TILE, 1, 1).
//
// A block owns one group: outer * inner cells, of which its threads take every TILE-th.
// It reads them three times: for the mean, for the variance, and for y. Shared memory:
// `partial`, one cell per thread.
//
// Spec: Scalar (computed in), Source (of x, y, weight, bias and the running ones),
// WEIGHT, BIAS, AFFINE_OF_CELLS, RUNNING, Index, TILE (a power of two).
//
// Parameters: y, mean, variance, scale, x, all contiguous; weight and bias; the running
// mean and variance, which move towards the batch's by `momentum`, in place; outer,
// groups, inner; epsilon; momentum, and the share 1 - momentum that is kept; cells /
// (cells - 1), which makes the variance unbiased. What the spec leaves out is null.
#include "block_join.cuh"
#include "spec.cuh"

extern "C" __global__ void standardise(Source* y, Scalar* mean, Scalar* variance,
                                       Scalar* scale, const Source* x,
                                       const Source* weight, const Source* bias,
                                       Source* running_mean, Source* running_variance,
                                       Index outer, Index groups, Index inner,
                                       Scalar epsilon, Scalar momentum, Scalar kept,
                                       Scalar unbiased) {
  __shared__ Scalar partial[TILE];
  const Index group = blockIdx.x;
  const Index cells = outer * inner;
  const int t = threadIdx.x;

  Scalar sum = 0;
#pragma unroll 1
  for (Index i = t; i < cells; i += TILE)
    sum += static_cast<Scalar>(x[(i / inner * groups + group) * inner + i % inner]);
  const Scalar middle = block_sum(sum, partial) / static_cast<Scalar>(cells);

  Scalar squares = 0;
#pragma unroll 1
  for (Index i = t; i < cells; i += TILE) {
    const Index at = (i / inner * groups + group) * inner + i % inner;
    const Scalar off = static_cast<Scalar>(x[at]) - middle;
    squares += off * off;
  }
  const Scalar spread = block_sum(squares, partial) / static_cast<Scalar>(cells);
  const Scalar factor = 1 / sqrt(spread + epsilon);

#pragma unroll 1
  for (Index i = t; i < cells; i += TILE) {
    const Index at = (i / inner * groups + group) * inner + i % inner;
    const Index which = AFFINE_OF_CELLS ? i : group;
    Scalar value = (static_cast<Scalar>(x[at]) - middle) * factor;
    if (WEIGHT) value *= static_cast<Scalar>(weight[which]);
    if (BIAS) value += static_cast<Scalar>(bias[which]);
    y[at] = static_cast<Source>(value);
  }
  if (t != 0) return;
  mean[group] = middle;
  variance[group] = spread;
  scale[group] = factor;
  if (!RUNNING) return;
  running_mean[group] = static_cast<Source>(
      static_cast<Scalar>(running_mean[group]) * kept + middle * momentum);
  running_variance[group] =
      static_cast<Source>(static_cast<Scalar>(running_variance[group]) * kept +
                          spread * unbiased * momentum);
}
