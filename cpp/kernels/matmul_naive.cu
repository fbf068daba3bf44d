// out = a @ b, one dot product per thread, straight from global memory.
//
// (batch, m, k) @ (batch, k, n) -> (batch, m, n)
//
// Launch: grid (ceil(n / block.x), ceil(m / block.y), batches), block (any, any, 1);
// none when m, n or batches is 0.
//
// A thread owns one output cell. Shared memory: none. Each cell of `a` is read n times
// and each cell of `b` m times: compare matmul_tiled.cu.
//
// Spec: Scalar, Index, NDIM (of the batch).
//
// Parameters: out (contiguous), a, b, m, n, k, steps of a (row, column), steps of b,
// shape of the batch, strides of a and b along it (0 where broadcast).
#include "layout.cuh"
#include "spec.cuh"

extern "C" __global__ void matmul_naive(Scalar* out, const Scalar* a, const Scalar* b,
                                        Index m, Index n, Index k, Index a_row,
                                        Index a_column, Index b_row, Index b_column,
                                        Shape batch_shape, Strides a_batch,
                                        Strides b_batch) {
  const Index column = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  const Index row = static_cast<Index>(blockIdx.y) * blockDim.y + threadIdx.y;
  const Index batch = blockIdx.z;
  if (row >= m || column >= n) return;
  a += offset_of<NDIM>(batch, batch_shape, a_batch) + row * a_row;
  b += offset_of<NDIM>(batch, batch_shape, b_batch) + column * b_column;

  Scalar sum = 0;
#pragma unroll 1
  for (Index i = 0; i < k; ++i) sum += a[i * a_column] * b[i * b_row];
  out[(batch * m + row) * n + column] = sum;
}
