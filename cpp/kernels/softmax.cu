// out = exp(x - m) / s along one dimension, m being the largest cell of a line and s
// the sum of its exp(x - m); with LOGARITHM out = x - m - log(s). With CAUSAL lines
// come in blocks of `targets`: line i of a block sees its first i + 1 cells, and has 0
// for the others.
//
// x (outer, length, inner) -> out of the same shape
//
// Launch: grid (outer * inner), block (TILE, 1, 1).
//
// A block owns one line: the `length` cells of one outer and one inner index, of which
// its threads take every TILE-th. It reads them three times: for m, for s, and for out.
// Shared memory: `partial`, one cell per thread.
//
// Spec: Scalar (computed in), Source (of out and x), LOGARITHM, CAUSAL, Index, TILE (a
// power of two).
//
// Parameters: out, x, both contiguous; targets (0 without CAUSAL), length, inner.
#include "block_join.cuh"
#include "spec.cuh"

extern "C" __global__ void softmax(Source* out, const Source* x, Index targets,
                                   Index length, Index inner) {
  __shared__ Scalar partial[TILE];
  const Index line = blockIdx.x;
  const Index start = line / inner * length * inner + line % inner;
  const int t = threadIdx.x;
  Index seen = length;
  if (CAUSAL && line / inner % targets + 1 < length) seen = line / inner % targets + 1;

  Scalar largest = static_cast<Scalar>(x[start]);
#pragma unroll 1
  for (Index i = t; i < seen; i += TILE)
    largest = larger(largest, static_cast<Scalar>(x[start + i * inner]));
  largest = block_largest(largest, partial);

  Scalar sum = 0;
#pragma unroll 1
  for (Index i = t; i < seen; i += TILE)
    sum += exp(static_cast<Scalar>(x[start + i * inner]) - largest);
  sum = block_sum(sum, partial);
  const Scalar last = LOGARITHM ? log(sum) : 1 / sum;

#pragma unroll 1
  for (Index i = t; i < length; i += TILE) {
    const Index at = start + i * inner;
    if (CAUSAL && i >= seen) {
      out[at] = static_cast<Source>(Scalar(0));
      continue;
    }
    const Scalar shifted = static_cast<Scalar>(x[at]) - largest;
    out[at] = static_cast<Source>(LOGARITHM ? shifted - last : exp(shifted) * last);
  }
}
