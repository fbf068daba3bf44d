// patients/row_lengths.cu fails 5.10, 5.10-few: failed
__global__ void row_lengths(float* lengths, const float* a, int rows, int width) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows) {
    float total;
    for (int column = 0; column < width; ++column) {
      float x = a[r * width + column];
      total = x * x;  // wrong: only the last number is left
    }
    lengths[r] = sqrtf(total);
  }
}
