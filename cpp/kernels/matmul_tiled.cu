// out = a @ b through shared memory: a block loads each tile once, all its threads read
// it.
//
// (batch, m, k) @ (batch, k, n) -> (batch, m, n)
//
// Launch: grid (ceil(n / TILE), ceil(m / TILE), batches), block (TILE, TILE, 1); none
// when m, n or batches is 0.
//
// A thread owns one output cell, and loads one cell of each tile per step along k.
//
// Shared memory: `a_tile` and `b_tile`, TILE x TILE; each of their cells is written
// once and read TILE times per step. Each cell of `a` is read n / TILE times and each
// cell of `b` m / TILE times from global memory. Cells past the edge are filled with 0.
//
// Spec: Scalar, Index, NDIM (of the batch), TILE.
//
// Parameters: as matmul_naive.cu.
#include "layout.cuh"
#include "spec.cuh"

extern "C" __global__ void matmul_tiled(Scalar* out, const Scalar* a, const Scalar* b,
                                        Index m, Index n, Index k, Index a_row,
                                        Index a_column, Index b_row, Index b_column,
                                        Shape batch_shape, Strides a_batch,
                                        Strides b_batch) {
  __shared__ Scalar a_tile[TILE][TILE];
  __shared__ Scalar b_tile[TILE][TILE];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const Index column = static_cast<Index>(blockIdx.x) * TILE + tx;
  const Index row = static_cast<Index>(blockIdx.y) * TILE + ty;
  const Index batch = blockIdx.z;
  a += offset_of<NDIM>(batch, batch_shape, a_batch) + row * a_row + tx * a_column;
  b += offset_of<NDIM>(batch, batch_shape, b_batch) + ty * b_row + column * b_column;

  Scalar sum = 0;
#pragma unroll 1
  for (Index first = 0; first < k; first += TILE) {
    a_tile[ty][tx] = row < m && first + tx < k ? a[first * a_column] : Scalar(0);
    b_tile[ty][tx] = column < n && first + ty < k ? b[first * b_row] : Scalar(0);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE; ++i) sum += a_tile[ty][i] * b_tile[i][tx];
    __syncthreads();  // nobody may overwrite a tile that a slower thread still reads
  }
  if (row < m && column < n) out[(batch * m + row) * n + column] = sum;
}
