#include <mma.h>
#include <cuda_fp16.h>
using namespace nvcuda;
extern "C" __global__ void k(const float *a, const float *b, float *c) {
  __shared__ half ha[256], hb[256];
  for (int i = threadIdx.x; i < 256; i += 32) { ha[i] = __float2half(a[i]); hb[i] = __float2half(b[i]); }
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::load_matrix_sync(fa, ha, 16);
  wmma::load_matrix_sync(fb, hb, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
