// c = a @ b, (n, n) @ (n, n) -> (n, n), tiles of 16 x 16 in shared memory.
constexpr int TILE = 16;
extern "C" __global__ void matmul(float* c, const float* a, const float* b, int n) {
  __shared__ float left[TILE][TILE], right[TILE][TILE];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
  float sum = 0;
  for (int t = 0; t < (n + TILE - 1) / TILE; ++t) {
    int k = t * TILE + x, l = t * TILE + y;
    left[y][x] = row < n && k < n ? a[row * n + k] : 0.0f;
    right[y][x] = column < n && l < n ? b[l * n + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum += left[y][i] * right[i][x];
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}
