// matmul_float4.cu fails 7.4-product.cost: too_costly
// A loop with a round for each four numbers of a row; most of them add zeros.

__device__ float4 zeros() { return make_float4(0, 0, 0, 0); }

__device__ void add_product(float4& sum, float factor, float4 row) {
  sum.x += factor * row.x;
  sum.y += factor * row.y;
  sum.z += factor * row.z;
  sum.w += factor * row.w;
}

__global__ void matmul_float4(float* c, const float* a, const float* b, int m, int k,
                              int n) {
  __shared__ float4 of_a[64][4];   // 64 rows of 16 numbers
  __shared__ float4 of_b[16][16];  // 16 rows of 64 numbers
  int x = threadIdx.x, y = threadIdx.y, t = y * 16 + x;
  int top = blockIdx.y * 64, left = blockIdx.x * 64;
  float4 sums[4] = {zeros(), zeros(), zeros(), zeros()};

  for (int start = 0; start < k; start += 16) {
    int row = top + t / 4, column = start + t % 4 * 4;
    of_a[t / 4][t % 4] = row < m && column < k
                             ? *reinterpret_cast<const float4*>(a + row * k + column)
                             : zeros();
    row = start + y, column = left + x * 4;
    of_b[y][x] = row < k && column < n
                     ? *reinterpret_cast<const float4*>(b + row * n + column)
                     : zeros();
    __syncthreads();
    for (int at = 0; at < k; at += 4) {  // wrong: each tile goes through all of k
      int i = (at - start) / 4;
      bool inside = at >= start && i < 4;
      float4 rows[4];
      for (int j = 0; j < 4; ++j) rows[j] = inside ? of_b[i * 4 + j][x] : zeros();
      for (int j = 0; j < 4; ++j) {
        float4 factors = inside ? of_a[y * 4 + j][i] : zeros();
        add_product(sums[j], factors.x, rows[0]);
        add_product(sums[j], factors.y, rows[1]);
        add_product(sums[j], factors.z, rows[2]);
        add_product(sums[j], factors.w, rows[3]);
      }
    }
    __syncthreads();
  }

  for (int j = 0; j < 4; ++j) {
    int row = top + y * 4 + j, column = left + x * 4;
    if (row < m && column < n)
      *reinterpret_cast<float4*>(c + row * n + column) = sums[j];
  }
}
