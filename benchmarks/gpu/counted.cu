// Twelve kernels whose memory counters can be told by hand: one access pattern each.
// All take (float* out, const float* in, int n); loops are kept as they are written.

// Launch: n threads. Neighbours side by side: 4 sectors a request.
extern "C" __global__ void map(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i] + 1;
}

// Every second element: 8 sectors a load.
extern "C" __global__ void every_second(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (2 * i < n) out[i] = in[2 * i];
}

// One element off: 5 sectors a load.
extern "C" __global__ void shifted(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n) out[i] = in[i + 1];
}

// 16 bytes a thread: 16 sectors a request.
extern "C" __global__ void copy_float4(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * i < n) ((float4*)out)[i] = ((const float4*)in)[i];
}

// Rows to columns of a 64 x 64 matrix, blocks of 32 x 8: 32 sectors a store.
extern "C" __global__ void transpose_naive(float* out, const float* in, int n) {
  int x = blockIdx.x * 32 + threadIdx.x;
#pragma unroll 1
  for (int y = blockIdx.y * 32 + threadIdx.y; y < blockIdx.y * 32 + 32; y += 8)
    out[x * 64 + y] = in[y * 64 + x];
}

// The same through a tile of WIDTH columns: 32-way conflicts with 32, none with 33.
template <int WIDTH>
__device__ void transpose(float* out, const float* in) {
  __shared__ float tile[32][WIDTH];
  int x = blockIdx.x * 32, y = blockIdx.y * 32;
#pragma unroll 1
  for (int r = threadIdx.y; r < 32; r += 8)
    tile[r][threadIdx.x] = in[(y + r) * 64 + x + threadIdx.x];
  __syncthreads();
#pragma unroll 1
  for (int r = threadIdx.y; r < 32; r += 8)
    out[(x + r) * 64 + y + threadIdx.x] = tile[threadIdx.x][r];
}
extern "C" __global__ void transpose_tile(float* out, const float* in, int n) {
  transpose<32>(out, in);
}
extern "C" __global__ void transpose_padded(float* out, const float* in, int n) {
  transpose<33>(out, in);
}

// out[block] = sum of 256 cells, the stride halved in each round.
extern "C" __global__ void reduce(float* out, const float* in, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
#pragma unroll 1
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// (64, 64) @ (64, 64), every factor from global memory. Blocks of 16 x 16.
extern "C" __global__ void matmul_naive(float* out, const float* in, int n) {
  int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  float total = 0;
#pragma unroll 1
  for (int k = 0; k < 64; ++k) total += in[row * 64 + k] * in[k * 64 + column];
  out[row * 64 + column] = total;
}

// The same with tiles in shared memory.
extern "C" __global__ void matmul_tiled(float* out, const float* in, int n) {
  __shared__ float a[16][16], b[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  int column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
  float total = 0;
#pragma unroll 1
  for (int start = 0; start < 64; start += 16) {
    a[y][x] = in[row * 64 + start + x];
    b[y][x] = in[(start + y) * 64 + column];
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < 16; ++k) total += a[y][k] * b[k][x];
    __syncthreads();
  }
  out[row * 64 + column] = total;
}

// Each lane from another row of 32 floats, given by the data: 32 sectors a load.
extern "C" __global__ void gather(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[(i % 32) * 32 + i / 32 % 32];
}

// A local array with an index that only the run knows.
extern "C" __global__ void local_array(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float cells[32];
#pragma unroll 1
  for (int k = 0; k < 32; ++k) cells[k] = in[(i + k) % n];
  out[i] = cells[(int)in[i] & 31];
}
