extern "C" __global__ void k(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int big = i < n && in[i] > 50;
  int count = __syncthreads_count(big);
  int any = __syncthreads_or(i < n && in[i] == 7);
  if (threadIdx.x == 0) out[blockIdx.x] = count * 2 + (any != 0);
}
