extern "C" __global__ void k(int* out) {
  if (threadIdx.x == 7) __trap();
  out[threadIdx.x] = 1;
}
