#define T 8
extern "C" __global__ void k(const float *a, const float *b, float *c, int n) {
  __shared__ float sa[T][T], sb[T][T];
  int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n / T; ++t) {
    sa[threadIdx.y][threadIdx.x] = a[row * n + t * T + threadIdx.x];
    sb[threadIdx.y][threadIdx.x] = b[(t * T + threadIdx.y) * n + col];
    __syncthreads();
    for (int i = 0; i < T; ++i) sum += sa[threadIdx.y][i] * sb[i][threadIdx.x];
  }
  c[row * n + col] = sum;
}
