extern "C" __global__ void k(const float *in, float *out, int n) {
  __shared__ float s[64];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    s[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = s[63 - threadIdx.x];
    __syncthreads();
  }
}
