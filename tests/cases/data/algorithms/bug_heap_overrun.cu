extern "C" __global__ void k(int *out) {
  int *p = (int *)malloc(4 * sizeof(int));
  for (int i = 0; i <= 4; ++i) p[i] = i;
  out[threadIdx.x] = p[4] + p[threadIdx.x];
  free(p);
}
