// Task 5.10, a patient of the clinic: one fault is planted in this kernel.
//
// lengths[r] = sqrt(a[r][0]^2 + ... + a[r][width - 1]^2), the length of row r.
//
// Launch: blocks of any number of threads, a thread for each row.

__global__ void row_lengths(float* lengths, const float* a, int rows, int width) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows) {
    /// BEGIN SOLUTION
    /// BEGIN STARTER
    // float total;
    /// END STARTER
    float total = 0;
    /// END SOLUTION
    for (int column = 0; column < width; ++column) {
      float x = a[r * width + column];
      total += x * x;
    }
    lengths[r] = sqrtf(total);
  }
}
