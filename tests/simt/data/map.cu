// out[i] = 2 in[i] + 1, one thread a cell.
extern "C" __global__ void map(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * 2.0f + 1.0f;
}

// The guard is missing: the last block writes past the end.
extern "C" __global__ void unguarded(float* out, const float* in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[0];
}
