extern "C" __global__ void k(int *out) {
  int *p = (int *)malloc(16);
  p[0] = threadIdx.x;
  free(p);
  out[threadIdx.x] = p[0];
}
