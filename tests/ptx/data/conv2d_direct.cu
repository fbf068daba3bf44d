extern "C" __global__ void k(const float* in, const float* w, float* out, int images,
                             int channels, int height, int width, int kernels, int rows,
                             int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int p_end = height - rows + 1, q_end = width - columns + 1;
  if (i >= images * kernels * p_end * q_end) return;
  int q = i % q_end, p = i / q_end % p_end;
  int m = i / (q_end * p_end) % kernels, image = i / (q_end * p_end * kernels);
  float sum = 0;
  for (int c = 0; c < channels; ++c)
    for (int r = 0; r < rows; ++r)
      for (int s = 0; s < columns; ++s)
        sum += in[((image * channels + c) * height + p + r) * width + q + s] *
               w[((m * channels + c) * rows + r) * columns + s];
  out[i] = sum;
}
