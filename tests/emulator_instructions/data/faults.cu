// Whole kernels that both engines must refuse alike (test_agreement.cpp).
typedef unsigned int u32;
#define KERNEL extern "C" __global__ void

KERNEL missing_guard(const u32* in, u32* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i + n] = in[i];
}

KERNEL shared_overrun(const u32* in, u32* out, int n) {
  __shared__ u32 cache[64];
  cache[threadIdx.x + n] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = cache[63 - threadIdx.x % 64];
}

KERNEL misaligned(const u32* in, u32* out, int n) {
  out[threadIdx.x] = *(const u32*)((const char*)in + threadIdx.x);
}

KERNEL null_pointer(const u32* in, u32* out, int n) {
  const u32* nothing = (const u32*)(unsigned long long)(n - 128);
  out[threadIdx.x] = nothing[threadIdx.x];
}

KERNEL never_written(const u32* in, u32* out, int n) {
  out[threadIdx.x] = out[threadIdx.x + n / 2] + in[threadIdx.x];
}

KERNEL divides(const u32* in, u32* out, int n) {
  out[threadIdx.x] = in[threadIdx.x] / (threadIdx.x % 8) + n % (threadIdx.x & 3);
}

KERNEL endless(const u32* in, u32* out, int n) {
  // The counter decides and keeps a state from coming back: only the budget ends it.
  for (u32 turn = n | 1; turn; turn += 2) out[1] = ((volatile u32*)out)[0];
}

KERNEL traps(const u32* in, u32* out, int n) {
  if (in[threadIdx.x] < 0xffffffff && threadIdx.x == 37) __trap();
  out[threadIdx.x] = n;
}
