// patients/row_lengths.cu fails 5.10, 5.10-few: uninit_register
__global__ void row_lengths(float* lengths, const float* a, int rows, int width) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows) {
    float total;
    for (int column = 0; column < width; ++column) {
      float x = a[r * width + column];
      total += x * x;  // wrong: nobody has given total a value
    }
    lengths[r] = sqrtf(total);
  }
}
