extern "C" __global__ void k(const float* in, float* out, int channels, int height,
                             int width, int rows, int columns, int pad, int stride,
                             int p_end, int q_end) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < channels * p_end * q_end;
       i += blockDim.x * gridDim.x) {
    int q = i % q_end, p = i / q_end % p_end, c = i / (p_end * q_end);
    for (int r = 0; r < rows; ++r)
      for (int s = 0; s < columns; ++s) {
        int y = p * stride + r - pad, x = q * stride + s - pad;
        bool inside = y >= 0 && x >= 0 && y < height && x < width;
        out[(((c * rows + r) * columns + s) * p_end + p) * q_end + q] =
            inside ? in[(c * height + y) * width + x] : 0;
      }
  }
}
