extern "C" __global__ void k(const unsigned char *in, unsigned *bins, int n) {
  __shared__ unsigned mine[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[in[i]], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x)
    if (mine[b]) atomicAdd(&bins[b], mine[b]);
}
