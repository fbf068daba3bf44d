// out = the row of a table for each index.
//
// table (rows, width), indices (n,) -> out (n, width)
//
// Launch: grid (ceil(cells of out / block.x)), block (any, 1, 1); none when out is
// empty.
//
// A thread owns one cell of out; neighbouring threads read neighbouring cells of a row.
// Shared memory: none.
//
// Spec: Scalar, Index.
//
// Parameters: out, table, indices (within the rows), all contiguous; width; cells of
// out.
#include "spec.cuh"

extern "C" __global__ void embedding(Scalar* out, const Scalar* table,
                                     const long long* indices, Index width,
                                     Index cells) {
  const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  out[i] = table[static_cast<Index>(indices[i / width]) * width + i % width];
}
