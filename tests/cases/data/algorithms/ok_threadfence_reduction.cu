__device__ unsigned int arrived = 0;
extern "C" __global__ void k(const float *in, volatile float *partial, float *out, int n) {
  __shared__ float s[128];
  __shared__ bool last;
  int t = threadIdx.x;
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  s[t] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) {
    partial[blockIdx.x] = s[0];
    __threadfence();
    last = atomicInc(&arrived, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (last) {
    float all = 0;
    for (int i = t; i < gridDim.x; i += blockDim.x) all += partial[i];
    s[t] = all;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
      if (t < half) s[t] += s[t + half];
      __syncthreads();
    }
    if (t == 0) { out[0] = s[0]; arrived = 0; }
  }
}
