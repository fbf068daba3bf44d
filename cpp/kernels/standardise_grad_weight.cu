// dweight = sum of g * (x - mean) * scale and dbias = sum of g, over the groups: the
// gradients of layer normalisation's weight and bias, which each group uses.
//
// g, x (groups, cells), mean and scale (groups,) -> dweight and dbias (cells,)
//
// Launch: grid (ceil(cells / block.x)), block (any, 1, 1).
//
// A thread owns one cell of both results and goes over the groups; neighbouring threads
// read neighbouring cells. Shared memory: none.
//
// Spec: Scalar (computed in), Source (of dweight, dbias, g and x), Index.
//
// Parameters: dweight, dbias, g, x, mean, scale, all contiguous; groups, cells.
#include "spec.cuh"

extern "C" __global__ void standardise_grad_weight(Source* dweight, Source* dbias,
                                                   const Source* g, const Source* x,
                                                   const Scalar* mean,
                                                   const Scalar* scale, Index groups,
                                                   Index cells) {
  const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  Scalar sum = 0, along = 0;
#pragma unroll 1
  for (Index group = 0; group < groups; ++group) {
    const Index at = group * cells + i;
    const Scalar arrived = static_cast<Scalar>(g[at]);
    sum += arrived;
    along += arrived * (static_cast<Scalar>(x[at]) - mean[group]) * scale[group];
  }
  dbias[i] = static_cast<Source>(sum);
  dweight[i] = static_cast<Source>(along);
}
