// Task 8.2: tiles staged in shared memory, so that any size works.
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

constexpr int TILE = 16;   // of a fragment
constexpr int SIDE = 32;   // of a block's tile of C: 2 x 2 warps, a fragment each
constexpr int THREADS = 128;

// C (m, n) = A (m, k) @ B (k, n), all row by row; any m, n, k.
// Launch: grid (n / 32, m / 32) rounded up, block 128.
extern "C" __global__ void wmma_staged(float* c, const half* a, const half* b, int m,
                                       int n, int k) {
  __shared__ half a_part[SIDE * TILE];  // (32, 16): rows of A, 16 steps of k
  __shared__ half b_part[TILE * SIDE];  // (16, 32)
  __shared__ float c_part[SIDE * SIDE];
  /// BEGIN SOLUTION
  /// BEGIN STARTER
  // int row = blockIdx.y * SIDE, column = blockIdx.x * SIDE;
  // int warp = threadIdx.x / 32;
  // int down = warp / 2 * TILE, right = warp % 2 * TILE;  // this warp's quarter
  // // Task 8.2: for each 16 steps of k, fill a_part and b_part (zeros beyond the
  // // edges), multiply, and bring the sums to c by way of c_part.
  /// END STARTER
  int row = blockIdx.y * SIDE, column = blockIdx.x * SIDE;
  int warp = threadIdx.x / 32;
  int down = warp / 2 * TILE, right = warp % 2 * TILE;
  wmma::fragment<wmma::matrix_a, TILE, TILE, TILE, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, TILE, TILE, TILE, half, wmma::row_major> above;
  wmma::fragment<wmma::accumulator, TILE, TILE, TILE, float> sum;
  wmma::fill_fragment(sum, 0.0f);
#pragma unroll 1
  for (int at = 0; at < k; at += TILE) {
#pragma unroll 1
    for (int i = threadIdx.x; i < SIDE * TILE; i += THREADS) {
      int y = row + i / TILE, x = at + i % TILE;
      a_part[i] = y < m && x < k ? a[y * k + x] : __float2half(0.0f);
      y = at + i / SIDE, x = column + i % SIDE;
      b_part[i] = y < k && x < n ? b[y * n + x] : __float2half(0.0f);
    }
    __syncthreads();  // all of both parts is there
    wmma::load_matrix_sync(left, a_part + down * TILE, TILE);
    wmma::load_matrix_sync(above, b_part + right, SIDE);
    wmma::mma_sync(sum, left, above, sum);
    __syncthreads();  // nobody reads the parts any more
  }
  wmma::store_matrix_sync(c_part + down * SIDE + right, sum, SIDE,
                          wmma::mem_row_major);
  __syncthreads();  // cells of other warps are read now
#pragma unroll 1
  for (int i = threadIdx.x; i < SIDE * SIDE; i += THREADS) {
    int y = row + i / SIDE, x = column + i % SIDE;
    if (y < m && x < n) c[y * n + x] = c_part[i];
  }
  /// END SOLUTION
}
