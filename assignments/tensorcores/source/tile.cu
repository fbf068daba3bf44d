// Task 8.1: one warp, one tile of 16 x 16 cells of C = A B, by tensor cores.
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

constexpr int TILE = 16;

// C (m, n) = A (m, k) @ B (k, n), all row by row; m, n, k are multiples of 16.
// Launch: grid (n / 16, m / 16), block 32: a warp for each tile of C.
extern "C" __global__ void wmma_tile(float* c, const half* a, const half* b, int m,
                                     int n, int k) {
  /// BEGIN SOLUTION
  int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
  wmma::fragment<wmma::matrix_a, TILE, TILE, TILE, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, TILE, TILE, TILE, half, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, TILE, TILE, TILE, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int at = 0; at < k; at += TILE) {
    // (16, 16) of A at [row, at], (16, 16) of B at [at, column]
    wmma::load_matrix_sync(left, a + row * k + at, k);
    wmma::load_matrix_sync(right, b + at * n + column, n);
    wmma::mma_sync(sum, left, right, sum);
  }
  wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
  /// END SOLUTION
}
