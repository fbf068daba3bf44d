// Kernels whose resources the tests know. The .cubin files beside this one were made of
// it by NVRTC 12.9 and 13.5 for sm_75 and sm_90; what they hold was read from the log of
// `--ptxas-options=-v`, and shared memory from the declarations.
__constant__ float coefficients[33];

extern "C" __global__ void plain(float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] *= coefficients[i & 31];
}

// 4,000 + 12 bytes, and barrier number 3, so that four are taken.
extern "C" __global__ void shared_arrays(float* a) {
  __shared__ float s[1000];
  __shared__ int t[3];
  int i = threadIdx.x;
  s[i] = a[i];
  t[i % 3] = i;
  asm volatile("bar.sync 3, 64;");
  a[i] = s[999 - i] + t[(i + 1) % 3];
}

// An array of 160 bytes that cannot be kept in registers.
extern "C" __global__ void local_array(float* a, int n) {
  float s[40];
  for (int i = 0; i < n; i++) s[i % 40] = a[i];
  a[threadIdx.x] = s[a[threadIdx.x] > 0 ? n % 40 : 3];
}

// 64 values in the 64 registers that 1,024 threads leave.
extern "C" __global__ void __launch_bounds__(1024) spills(float* a, int n) {
  float r[64];
  for (int i = 0; i < 64; i++) r[i] = a[threadIdx.x + i * n];
  for (int k = 0; k < n; k++)
    for (int i = 0; i < 64; i++) r[i] = r[i] * r[(i * 7 + 3) & 63] + a[k];
  for (int i = 0; i < 64; i++) a[threadIdx.x + i * n] = r[i];
}

__device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
extern "C" __global__ void recursive(int* a) { a[0] = fibonacci(a[1]); }
