#include <mma.h>
using namespace nvcuda::wmma;
extern "C" __global__ void k(const half* a, const half* b, float* c, int n) {
  int row = blockIdx.y * 16, column = blockIdx.x * 16;
  fragment<matrix_a, 16, 16, 16, half, row_major> x;
  fragment<matrix_b, 16, 16, 16, half, row_major> y;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0.0f);
  for (int i = 0; i < n; i += 16) {
    load_matrix_sync(x, a + row * n + i, n);
    load_matrix_sync(y, b + i * n + column, n);
    mma_sync(sum, x, y, sum);
  }
  store_matrix_sync(c + row * n + column, sum, n, mem_row_major);
}
