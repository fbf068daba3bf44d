// patients/warp_peaks.cu fails 5.11, 5.11-few: warp_sync
__global__ void warp_peaks(float* peaks, const float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float largest = a[i];
  for (int step = 16; step > 0; step /= 2)  // wrong: lanes that left give nothing
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, step));
  if (i % 32 == 0 && i < n) peaks[i / 32] = largest;
}
