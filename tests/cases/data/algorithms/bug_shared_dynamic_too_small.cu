extern "C" __global__ void k(const float *in, float *out) {
  extern __shared__ float s[];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
