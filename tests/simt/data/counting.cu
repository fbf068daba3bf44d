// Kernels whose counters have closed forms (test_counters.cpp says which).
template <int PAD>
__device__ void transpose(float* out, const float* in, int n) {
  __shared__ float tile[32][32 + PAD];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
extern "C" __global__ void transpose_plain(float* out, const float* in, int n) {
  transpose<0>(out, in, n);
}
extern "C" __global__ void transpose_padded(float* out, const float* in, int n) {
  transpose<1>(out, in, n);
}

extern "C" __global__ void strided(float* out, const float* in, int stride, int start) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i * stride + start] * 3.0f + 1.0f;
}

extern "C" __global__ void reduce_strided(float* out, const float* in) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
#pragma unroll 1
  for (int d = 1; d < 256; d *= 2) {
    int i = 2 * d * t;
    if (i < 256) s[i] += s[i + d];
    __syncthreads();
  }
  if (t == 0) out[0] = s[0];
}

extern "C" __global__ void odd_even(float* out, int n) {
  int i = threadIdx.x;
  if (i % 2 == 0) {
    if (i < n) out[i] = 1.0f;
  } else {
    out[i] = 2.0f;
  }
}

extern "C" __global__ void vectors(float* out, int stride) {
  __shared__ float4 wide[64];
  __shared__ double2 pairs[32];
  __shared__ double each[64];
  int t = threadIdx.x;
  wide[t] = wide[t + 32] = make_float4(t, t, t, t);
  pairs[t] = make_double2(t, t);
  each[t] = each[t + 32] = t;
  __syncthreads();
  float4 w = wide[t * stride % 64];
  double d = each[t * stride % 64];
  float one = wide[5].x;
  out[t] = w.x + w.y + w.z + w.w + (float)d + one + (float)pairs[t].x;
}

extern "C" __global__ void atomics(int* out, int same) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = 0;
  __syncthreads();
  atomicAdd(&s[same ? 0 : t], 1);
  __syncthreads();
  atomicAdd(&out[t], s[t]);
}

extern "C" __global__ void arithmetic(float* f, double* d) {
  int t = threadIdx.x;
  float x = f[t];
  double y = d[t];
  x = __fadd_rn(__fmul_rn(x, x), 1.0f);
  x = __fmaf_rn(x, x, x);
  y = __dadd_rn(y, y);
  y = __fma_rn(y, y, y);
  f[t] = __expf(x) + __frcp_rn(x);
  d[t] = y;
}
