extern "C" __global__ void k(const int* in, int* out, int n) {
  int bins[8];
  for (int i = 0; i < n; i++) bins[in[i] & 7]++;
  int most = 0;
  for (int b = 0; b < 8; b++)
    if (bins[b] > most) most = bins[b];
  out[threadIdx.x] = most;
}
