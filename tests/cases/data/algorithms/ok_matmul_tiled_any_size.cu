#define T 16
extern "C" __global__ void k(const float *a, const float *b, float *c, int m, int n, int p) {
  __shared__ float sa[T][T], sb[T][T];
  int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < (n + T - 1) / T; ++t) {
    int ka = t * T + threadIdx.x, kb = t * T + threadIdx.y;
    sa[threadIdx.y][threadIdx.x] = row < m && ka < n ? a[row * n + ka] : 0.0f;
    sb[threadIdx.y][threadIdx.x] = kb < n && col < p ? b[kb * p + col] : 0.0f;
    __syncthreads();
    for (int i = 0; i < T; ++i) sum += sa[threadIdx.y][i] * sb[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && col < p) c[row * p + col] = sum;
}
