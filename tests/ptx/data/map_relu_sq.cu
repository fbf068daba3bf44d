extern "C" __global__ void k(float* out, const float* a, const float* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = a[i];
  if (x < 0) x = x * -0.01f * b[i];
  out[i] = x + b[i];
}
