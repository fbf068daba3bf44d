extern "C" __global__ void k(const int* in, int* out) {
  int v[8];
  v[in[0] & 7] = 1;
  printf("%d\n", v[(in[0] + 1) & 7]);
  out[0] = 1;
}
