extern "C" __global__ void k(float* items, float4* copy) {
  int t = threadIdx.x;
  items[4 * t] = t; items[4 * t + 1] = 2 * t; items[4 * t + 2] = 3 * t;
  __syncthreads();
  copy[t] = ((float4*)items)[31 - t];
}
