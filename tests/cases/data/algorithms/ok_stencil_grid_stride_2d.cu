extern "C" __global__ void k(const float *in, float *out, int h, int w) {
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < h; y += gridDim.y * blockDim.y)
    for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < w; x += gridDim.x * blockDim.x) {
      float sum = in[y * w + x];
      if (x > 0) sum += in[y * w + x - 1];
      if (x + 1 < w) sum += in[y * w + x + 1];
      if (y > 0) sum += in[(y - 1) * w + x];
      if (y + 1 < h) sum += in[(y + 1) * w + x];
      out[y * w + x] = sum;
    }
}
