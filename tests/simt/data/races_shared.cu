// Races on shared memory: right kernels, and the same with one line missing. A comment
// at the end of a line names it for the tests.
extern "C" __global__ void reduce_right(float* out, const float* in) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
#pragma unroll 1
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

extern "C" __global__ void reduce_wrong(float* out, const float* in) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];  // reduce: fill
#pragma unroll 1
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];  // reduce: add
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

constexpr int TILE = 16;
extern "C" __global__ void tiled_right(float* c, const float* a, const float* b, int n) {
  __shared__ float left[TILE][TILE], right[TILE][TILE];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
  float sum = 0;
#pragma unroll 1
  for (int t = 0; t < n / TILE; ++t) {
    left[y][x] = a[row * n + t * TILE + x];
    right[y][x] = b[(t * TILE + y) * n + column];
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum += left[y][i] * right[i][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

extern "C" __global__ void tiled_wrong(float* c, const float* a, const float* b, int n) {
  __shared__ float left[TILE][TILE], right[TILE][TILE];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
  float sum = 0;
#pragma unroll 1
  for (int t = 0; t < n / TILE; ++t) {
    left[y][x] = a[row * n + t * TILE + x];            // tiled: left
    right[y][x] = b[(t * TILE + y) * n + column];      // tiled: right
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum += left[y][i] * right[i][x];  // tiled: sum
  }
  c[row * n + column] = sum;
}

// Hillis-Steele scan with two buffers.
extern "C" __global__ void scan(int* data, int buffers) {
  __shared__ int s[2][128];
  int t = threadIdx.x, now = 0;
  s[0][t] = data[t];
  __syncthreads();
#pragma unroll 1
  for (int d = 1; d < 128; d <<= 1) {
    int next = now ^ (buffers - 1);
    s[next][t] = s[now][t] + (t >= d ? s[now][t - d] : 0);  // scan: step
    now = next;
    __syncthreads();
  }
  data[t] = s[now][t];
}

// Neighbouring bytes of one word by different threads; a vector load of all.
extern "C" __global__ void bytes(unsigned char* out, int shift) {
  __shared__ unsigned char s[256];
  int t = threadIdx.x;
  s[(t + shift) % 256] = static_cast<unsigned char>(t);  // bytes: write
  if (shift) s[(t + shift + 1) % 256] = 7;                // bytes: again
  __syncthreads();
  if (t < 64) reinterpret_cast<unsigned*>(out)[t] = reinterpret_cast<unsigned*>(s)[t];
}

extern "C" __global__ void vectors(float4* out, const float4* in, int gap) {
  __shared__ float4 s[128];
  int t = threadIdx.x;
  s[t] = in[t];  // vectors: write
  if (gap == 0) __syncthreads();
  const float* flat = reinterpret_cast<const float*>(s);
  float x = flat[t], y = flat[128 + t], z = flat[256 + t], w = flat[384 + t];  // vectors: read
  out[t] = make_float4(x, y, z, w);
}

// All threads store one value, or each its own.
extern "C" __global__ void flag(int* out, int own) {
  __shared__ int found;
  int t = threadIdx.x;
  found = own ? t : 1;  // flag: write
  __syncthreads();
  if (t == 0) *out = found;
}

// As flag(1), but read before the barrier.
extern "C" __global__ void flag_read(int* out) {
  __shared__ int found;
  if (threadIdx.x == 0) found = 0;
  __syncthreads();
  if (threadIdx.x < 16) {
    found = 1;  // flag_read: write
  } else {
    out[threadIdx.x] = found;  // flag_read: read
  }
}

// Threads that leave early count as arrived.
extern "C" __global__ void early_exit(int* out, int n) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = t;
  if (t >= n) return;
  __syncthreads();
  out[t] = s[127 - t];
}

__device__ __noinline__ void put(int* at, int value) {
  *at = value;  // calls: put
}
extern "C" __global__ void calls(int* out, int barrier) {
  __shared__ int s[64];
  int t = threadIdx.x;
  put(s + t, t);  // calls: first
  if (barrier) __syncthreads();
  put(s + (t + 1) % 64, t);  // calls: then
  __syncthreads();
  out[t] = s[t];
}

// Threads from n on write nothing.
extern "C" __global__ void unwritten(int* out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t < n) s[t] = t;
  __syncthreads();
  out[blockIdx.x * 64 + t] = s[63 - t];  // unwritten: read
}
