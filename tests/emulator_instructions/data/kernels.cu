// Whole kernels that both engines must run alike (test_agreement.cpp).
typedef unsigned int u32;
#define KERNEL extern "C" __global__ void

KERNEL block_sum(const u32* in, u32* out, int n) {
  __shared__ u32 cache[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  cache[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) cache[t] += cache[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = cache[0];
}

KERNEL warp_scan(const u32* in, u32* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u32 members = __activemask(), value = in[i];
  for (int by = 1; by < 32; by *= 2) {
    u32 other = __shfl_up_sync(members, value, by);
    if ((threadIdx.x & 31) >= by) value += other;
  }
  out[i] = value;
}

KERNEL votes(const u32* in, u32* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  u32 x = in[i] & 7;
  u32 odd = __ballot_sync(~0u, x & 1), same = __match_any_sync(~0u, x);
  int count = __syncthreads_count(x > 3);
  u32 flags = __any_sync(~0u, x == 7) * 2 + __all_sync(~0u, x < 8);
  out[i] = odd ^ same * 3 ^ flags << 20 ^ count << 24 ^
           __shfl_xor_sync(~0u, x, 5) ^ __shfl_sync(~0u, x, 3, 8) << 8;
}

__device__ __noinline__ u32 fibonacci(u32 n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
KERNEL recursion(const u32* in, u32* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fibonacci(in[i] % 9);
}

__device__ u32 twice(u32 x) { return 2 * x; }
__device__ u32 square(u32 x) { return x * x; }
__device__ u32 (*table[2])(u32) = {twice, square};
KERNEL pointers(const u32* in, u32* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[in[i] & 1](in[i]);
}

KERNEL local_array(const u32* in, u32* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  u32 sorted[8];
  for (int k = 0; k < 8; ++k) sorted[k] = in[(i + k) % n] % 100;
  for (int a = 0; a < 8; ++a)
    for (int b = a; b > 0 && sorted[b - 1] > sorted[b]; --b) {
      u32 swap = sorted[b];
      sorted[b] = sorted[b - 1];
      sorted[b - 1] = swap;
    }
  out[i] = sorted[in[i] % 8] + 100 * sorted[7];
}

KERNEL histogram(const u32* in, u32* out, int n) {
  __shared__ u32 bins[16];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  if (i < n) atomicAdd(&bins[in[i] % 16], 1);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
  atomicMax(&out[16], in[i]);
  atomicXor(&out[17], in[i]);
  atomicMin((int*)&out[18], -(int)(in[i] % 50));
}

KERNEL last_block(const u32* in, u32* out, int n) {
  __shared__ bool last;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + 1;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(&out[n], 1) == gridDim.x - 1;
  __syncthreads();
  if (last && threadIdx.x == 0) {
    u32 sum = 0;
    for (int k = 0; k < n; ++k) sum += ((volatile u32*)out)[k];
    out[n + 1] = sum;
  }
}

KERNEL floats(const u32* in, u32* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = (int)in[i] * 1e-7f;
  float y = sinf(x) + expf(-x * x) * rsqrtf(fabsf(x) + 1) + powf(fabsf(x), 0.3f);
  double z = exp(-(double)x) / (1.0 + y) + fmod((double)in[i], 7.5);
  out[i] = __float_as_uint(y) ^ (u32)__double2loint(z) ^ (u32)__double2hiint(z);
}

KERNEL wide_integers(const u32* in, u32* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long a = (unsigned long long)in[i] << 21 | in[(i + 1) % n];
  long long b = (long long)(int)in[(i + 2) % n] - 1000000007;
  unsigned long long q = a / (b | 1) + a % (in[i] | 1) + __umul64hi(a, a) * (b >> 3);
  out[i] = (u32)(q ^ q >> 32) + __popcll(a) + __clzll(b) + __brev(in[i]) +
           __byte_perm(in[i], out[0] & 0, 0x4021);
}

struct Pair {
  u32 low;
  unsigned char bytes[4];
  double scale;
};
KERNEL by_value(const u32* in, u32* out, Pair pair) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = (u32)(in[i] * pair.scale) + pair.bytes[i & 3] + pair.low;
}
