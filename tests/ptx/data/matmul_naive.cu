extern "C" __global__ void k(const float* a, const float* b, float* c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || column >= n) return;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += a[row * n + i] * b[i * n + column];
  c[row * n + column] = sum;
}
