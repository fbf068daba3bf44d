// dx = scale * (h - mean of h - z * mean of h * z), the means over each group, with
// z = (x - mean) * scale and h = g * weight: what standardise.cu does, taken back. With
// SUMS also dweight = sum of g * z and dbias = sum of g of each group.
//
// g, x (outer, groups, inner), mean and scale (groups,) -> dx (outer, groups, inner),
// dweight and dbias (groups,); weight (groups,), or with AFFINE_OF_CELLS (inner,)
//
// Launch: grid (groups), block (TILE, 1, 1).
//
// A block owns one group: outer * inner cells, of which its threads take every TILE-th.
// It reads them twice: for the two means, and for dx. Shared memory: `partial`, one
// cell per thread.
//
// Spec: Scalar (computed in), Source (of dx, dweight, dbias, g, x and weight), WEIGHT,
// AFFINE_OF_CELLS, SUMS, Index, TILE (a power of two).
//
// Parameters: dx, dweight, dbias, g, x, mean, scale, weight, all contiguous (null what
// the spec leaves out); outer, groups, inner.
#include "block_join.cuh"
#include "spec.cuh"

extern "C" __global__ void standardise_grad(Source* dx, Source* dweight, Source* dbias,
                                            const Source* g, const Source* x,
                                            const Scalar* mean, const Scalar* scale,
                                            const Source* weight, Index outer,
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
    Scalar arrived = static_cast<Scalar>(g[at]);
    if (WEIGHT && AFFINE_OF_CELLS) arrived *= static_cast<Scalar>(weight[i]);
    sum += arrived;
    along += arrived * (static_cast<Scalar>(x[at]) - middle) * factor;
  }
  sum = block_sum(sum, partial);
  along = block_sum(along, partial);
  if (SUMS && t == 0) {
    dbias[group] = static_cast<Source>(sum);
    dweight[group] = static_cast<Source>(along);
  }
  const bool of_group = WEIGHT && !AFFINE_OF_CELLS;
  const Scalar share = of_group ? static_cast<Scalar>(weight[group]) : Scalar(1);
  const Scalar constant = sum / static_cast<Scalar>(cells);
  const Scalar slope = along / static_cast<Scalar>(cells);

#pragma unroll 1
  for (Index i = t; i < cells; i += TILE) {
    const Index at = (i / inner * groups + group) * inner + i % inner;
    Scalar arrived = static_cast<Scalar>(g[at]);
    if (WEIGHT && AFFINE_OF_CELLS) arrived *= static_cast<Scalar>(weight[i]);
    const Scalar z = (static_cast<Scalar>(x[at]) - middle) * factor;
    dx[at] = static_cast<Source>(factor * share * (arrived - constant - z * slope));
  }
}
