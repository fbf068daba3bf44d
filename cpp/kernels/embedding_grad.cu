// dtable = the gradients of all rows that were looked up, added where they came from.
//
// g (n, width), indices (n,) -> dtable (rows, width), zero before the launch
//
// Launch: grid (ceil(cells of g / block.x)), block (any, 1, 1); none when g is empty.
//
// A thread owns one cell of g. Equal indices meet in one cell of dtable, so the
// additions are atomic, and their order is not fixed. Shared memory: none.
//
// Spec: Scalar, Index.
//
// Parameters: dtable, g, indices, all contiguous; index whose gradient is left out (or
// -1); width; cells of g.
#include "spec.cuh"

extern "C" __global__ void embedding_grad(Scalar* dtable, const Scalar* g,
                                          const long long* indices, long long skipped,
                                          Index width, Index cells) {
  const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  const long long row = indices[i / width];
  if (row == skipped) return;
  atomicAdd(&dtable[static_cast<Index>(row) * width + i % width], g[i]);
}
