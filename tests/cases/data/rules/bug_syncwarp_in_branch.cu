extern "C" __global__ void k(int* out) {
  int t = threadIdx.x;
  if (t < 8) {
    out[t] = 1;
    __syncwarp();
    out[t] += 1;
  } else {
    out[t] = 3;
    __syncthreads();
  }
}
