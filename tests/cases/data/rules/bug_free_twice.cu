extern "C" __global__ void k(int* out) {
  int* p = (int*)malloc(64);
  p[threadIdx.x] = 1;
  out[0] = p[threadIdx.x];
  free(p);
  free(p);
}
