extern "C" __global__ void k(const float* in, float* out, int n) {
  __shared__ float ws[32];
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += blockDim.x * gridDim.x)
    v += in[i];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  unsigned warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  if (lane == 0) ws[warp] = v;
  __syncthreads();
  if (warp) return;
  v = lane < blockDim.x >> 5 ? ws[lane] : 0;
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffff, v, d);
  if (lane == 0) atomicAdd(out, v);
}
