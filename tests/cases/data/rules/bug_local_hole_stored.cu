extern "C" __global__ void k(const int* in, int* out, int n) {
  int copy[16];
  for (int i = 0; i < n - 1; i++) copy[(in[i] + 3) & 15] = i;
  for (int i = 0; i < n; i++) out[i] = copy[(in[i] + 3) & 15];
}
