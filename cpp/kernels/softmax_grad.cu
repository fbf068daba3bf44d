// dx = y * (g - sum of g * y), the sum over each line: what softmax.cu does, taken
// back. With LOGARITHM dx = g - exp(y) * sum of g.
//
// g, y (outer, length, inner) -> dx of the same shape
//
// Launch: grid (outer * inner), block (TILE, 1, 1).
//
// A block owns one line: the `length` cells of one outer and one inner index, of which
// its threads take every TILE-th. It reads them twice: for the sum, and for dx. Shared
// memory: `partial`, one cell per thread.
//
// Spec: Scalar (computed in), Source (of dx, g and y), LOGARITHM, Index, TILE (a power
// of two).
//
// Parameters: dx, g, y, all contiguous; length, inner.
#include "block_join.cuh"
#include "spec.cuh"

extern "C" __global__ void softmax_grad(Source* dx, const Source* g, const Source* y,
                                        Index length, Index inner) {
  __shared__ Scalar partial[TILE];
  const Index line = blockIdx.x;
  const Index start = line / inner * length * inner + line % inner;
  const int t = threadIdx.x;

  Scalar sum = 0;
#pragma unroll 1
  for (Index i = t; i < length; i += TILE) {
    const Scalar arrived = static_cast<Scalar>(g[start + i * inner]);
    sum += LOGARITHM ? arrived : arrived * static_cast<Scalar>(y[start + i * inner]);
  }
  sum = block_sum(sum, partial);

#pragma unroll 1
  for (Index i = t; i < length; i += TILE) {
    const Index at = start + i * inner;
    const Scalar arrived = static_cast<Scalar>(g[at]);
    const Scalar found = static_cast<Scalar>(y[at]);
    dx[at] = static_cast<Source>(LOGARITHM ? arrived - exp(found) * sum
                                           : found * (arrived - sum));
  }
}
