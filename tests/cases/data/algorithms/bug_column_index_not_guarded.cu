extern "C" __global__ void k(const float *in, float *out, int rows, int cols) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y < rows) out[y * cols + x] = in[y * cols + x] * 2;
}
