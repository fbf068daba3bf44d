// Task 5.11, a patient of the clinic: one fault is planted in this kernel.
//
// peaks[w] = the largest of a[32 w] ... a[32 w + 31]; the last group may be shorter.
//
// Launch: blocks of any multiple of 32 threads, a thread for each number. In five steps
// the lanes of a warp give each other the largest number that they know of.

__global__ void warp_peaks(float* peaks, const float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  /// BEGIN SOLUTION
  /// BEGIN STARTER
  // if (i >= n) return;
  // float largest = a[i];
  /// END STARTER
  float largest = i < n ? a[i] : -3e38f;  // lanes without a number come, too
  /// END SOLUTION
  for (int step = 16; step > 0; step /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, step));
  if (i % 32 == 0 && i < n) peaks[i / 32] = largest;
}
