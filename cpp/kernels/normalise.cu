// y = (x - mean) / sqrt(variance + epsilon) * weight + bias with a mean and a variance
// that are known: batch normalisation in evaluation.
//
// x (outer, groups, inner); mean, variance, weight and bias (groups,) -> y as x
//
// Launch: grid (groups, any), block (any, 1, 1); none when x is empty.
//
// The blocks of one blockIdx.x share a group: outer * inner cells, of which each thread
// takes one, and then every (gridDim.y * blockDim.x)-th. Shared memory: none.
//
// Spec: Scalar (computed in), Source (of all arrays), WEIGHT, BIAS, Index.
//
// Parameters: y, x, mean, variance, weight, bias, all contiguous (null what the spec
// leaves out); outer, groups, inner; epsilon.
#include "spec.cuh"

extern "C" __global__ void normalise(Source* y, const Source* x, const Source* mean,
                                     const Source* variance, const Source* weight,
                                     const Source* bias, Index outer, Index groups,
                                     Index inner, Scalar epsilon) {
  const Index group = blockIdx.x;
  const Index cells = outer * inner;
  const Scalar middle = static_cast<Scalar>(mean[group]);
  const Scalar factor = 1 / sqrt(static_cast<Scalar>(variance[group]) + epsilon);
  const Index step = static_cast<Index>(gridDim.y) * blockDim.x;
#pragma unroll 1
  for (Index i = static_cast<Index>(blockIdx.y) * blockDim.x + threadIdx.x; i < cells;
       i += step) {
    const Index at = (i / inner * groups + group) * inner + i % inner;
    Scalar value = (static_cast<Scalar>(x[at]) - middle) * factor;
    if (WEIGHT) value *= static_cast<Scalar>(weight[group]);
    if (BIAS) value += static_cast<Scalar>(bias[group]);
    y[at] = static_cast<Source>(value);
  }
}
