extern "C" __global__ void k(const float* in, float* out, int* index, int height,
                             int width, int rows, int columns, int size, int stride) {
  int q = blockIdx.x * blockDim.x + threadIdx.x,
      p = blockIdx.y * blockDim.y + threadIdx.y;
  int c = blockIdx.z;
  if (p >= rows || q >= columns) return;
  float top = __int_as_float(0xff800000);
  int where = -1;
  for (int r = 0; r < size; ++r)
    for (int s = 0; s < size; ++s) {
      int y = p * stride + r, x = q * stride + s;
      if (y >= height || x >= width) continue;
      float v = in[(c * height + y) * width + x];
      if (v > top) top = v, where = y * width + x;
    }
  out[(c * rows + p) * columns + q] = top;
  index[(c * rows + p) * columns + q] = where;
}
