extern "C" __global__ void k(const int *in, int *out, int *total, int n) {
  __shared__ int base, count;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  int at = -1;
  if (i < n && in[i] % 3 == 0) at = atomicAdd(&count, 1);
  __syncthreads();
  if (threadIdx.x == 0) base = atomicAdd(total, count);
  __syncthreads();
  if (at >= 0) out[base + at] = in[i];
}
