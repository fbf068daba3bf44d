extern "C" __global__ void k(int* out) {
  int t = threadIdx.x;
  if (t % 2 == 0) {
    out[t] = 1;
    __syncthreads();
  }
  out[t] += 2;
}
