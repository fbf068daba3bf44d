// The kernels whose speed under observers is measured: map, tree reduction and five
// ways to multiply (n, n) @ (n, n) -> (n, n).
extern "C" __global__ void map(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * 2.0f + 1.0f;
}

// out[block] = sum of the block's 256 cells.
extern "C" __global__ void reduce(float* out, const float* in, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

extern "C" __global__ void naive(float* c, const float* a, const float* b, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || column >= n) return;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += a[row * n + i] * b[i * n + column];
  c[row * n + column] = sum;
}

// One cell a thread, tiles in shared memory.
template <int TILE>
__device__ void tiled(float* c, const float* a, const float* b, int n) {
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
extern "C" __global__ void tiled16(float* c, const float* a, const float* b, int n) {
  tiled<16>(c, a, b, n);
}
extern "C" __global__ void tiled32(float* c, const float* a, const float* b, int n) {
  tiled<32>(c, a, b, n);
}

// 4 x 4 cells a thread in registers, tiles of 64 x 64 by 8; n a multiple of 64.
extern "C" __global__ void __launch_bounds__(256)
    regblock(float* c, const float* a, const float* b, int n) {
  __shared__ float left[8][64], right[8][64];
  int t = threadIdx.x, r = t / 16 * 4, s = t % 16 * 4;
  int row = blockIdx.y * 64, column = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int k = 0; k < n; k += 8) {
    for (int i = t; i < 512; i += 256) {
      left[i % 8][i / 8] = a[(row + i / 8) * n + k + i % 8];
      right[i / 64][i % 64] = b[(k + i / 64) * n + column + i % 64];
    }
    __syncthreads();
#pragma unroll
    for (int q = 0; q < 8; ++q)
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) sum[i][j] += left[q][r + i] * right[q][s + j];
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) c[(row + r + i) * n + column + s + j] = sum[i][j];
}

// The same with tiles of 64 x 64 by 16 and 16-byte accesses.
extern "C" __global__ void __launch_bounds__(256)
    vector4(float* c, const float* a, const float* b, int n) {
  __shared__ float left[16][64];
  __shared__ float4 right[16][16];
  int t = threadIdx.x, r = t / 16, s = t % 16;
  int row = blockIdx.y * 64, column = blockIdx.x * 64, m = t / 4, q = t % 4 * 4;
  float4 sum[4] = {};
  for (int k = 0; k < n; k += 16) {
    float4 v = *reinterpret_cast<const float4*>(&a[(row + m) * n + k + q]);
    left[q][m] = v.x;
    left[q + 1][m] = v.y;
    left[q + 2][m] = v.z;
    left[q + 3][m] = v.w;
    right[r][s] = *reinterpret_cast<const float4*>(&b[(k + r) * n + column + s * 4]);
    __syncthreads();
#pragma unroll
    for (int l = 0; l < 16; ++l) {
      float4 x = *reinterpret_cast<float4*>(&left[l][r * 4]), y = right[l][s];
      float each[4] = {x.x, x.y, x.z, x.w};
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        sum[i].x += each[i] * y.x;
        sum[i].y += each[i] * y.y;
        sum[i].z += each[i] * y.z;
        sum[i].w += each[i] * y.w;
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    *reinterpret_cast<float4*>(&c[(row + r * 4 + i) * n + column + s * 4]) = sum[i];
}
