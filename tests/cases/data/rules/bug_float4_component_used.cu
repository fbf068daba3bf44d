extern "C" __global__ void k(float* items, float* out) {
  int t = threadIdx.x;
  items[4 * t] = t; items[4 * t + 1] = 2 * t; items[4 * t + 2] = 3 * t;
  __syncthreads();
  float4 v = ((float4*)items)[31 - t];
  out[t] = v.x + v.y + v.z + v.w;
}
