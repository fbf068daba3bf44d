// tile.cu fails 8.1-tile.cost: too_costly
// Owns task 8.1: one warp, one tile of 16 x 16 cells of C = A B, by tensor cores.
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

constexpr int TILE = 16;

// C (m, n) = A (m, k) @ B (k, n), all row by row; m, n, k are multiples of 16.
// Launch: grid (n / 16, m / 16), block 32: a warp for each tile of C.
extern "C" __global__ void wmma_tile(float* c, const half* a, const half* b, int m,
                                     int n, int k) {
  int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
  for (int i = threadIdx.x; i < TILE * TILE; i += 32) {
    int y = row + i / TILE, x = column + i % TILE;
    float sum = 0.0f;
    for (int at = 0; at < k; ++at)
      sum += __half2float(a[y * k + at]) * __half2float(b[at * n + x]);  // wrong: slow
    c[y * n + x] = sum;
  }
}
