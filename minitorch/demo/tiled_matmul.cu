// c = a @ b through shared memory, and for every cell of c who computed it.
//
// (m, k) @ (k, n) -> (m, n). Launch: grid (ceil(n / TILE), ceil(m / TILE)), block
// (TILE, TILE); a thread owns one cell of c and copies one cell of each tile per step.
constexpr int TILE = 8;

extern "C" __global__ void tiled_matmul(float* c, int4* owner, const float* a,
                                        const float* b, int m, int k, int n) {
  __shared__ float a_tile[TILE][TILE];
  __shared__ float b_tile[TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * TILE + y;
  const int column = blockIdx.x * TILE + x;
  float sum = 0.0f;
  for (int first = 0; first < k; first += TILE) {
    a_tile[y][x] = row < m && first + x < k ? a[row * k + first + x] : 0.0f;
    b_tile[y][x] = column < n && first + y < k ? b[(first + y) * n + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum += a_tile[y][i] * b_tile[i][x];
    __syncthreads();
  }
  if (row < m && column < n) {
    c[row * n + column] = sum;
    owner[row * n + column] = make_int4(blockIdx.x, blockIdx.y, x, y);
  }
}
