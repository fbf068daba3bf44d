extern "C" __global__ void k(const int* in, int* out, int n) {
  int local[64], t = threadIdx.x;
  for (int i = 0; i < n; ++i) local[i & 63] = in[i * 32 + t];
  for (int i = 0; i < n; ++i) {
    int& a = local[local[i & 63] & 63];
    int& b = local[i * 7 & 63];
    int before = a;
    a = b;
    b = before;
  }
  int sum = 0;
  for (int i = 0; i < 64; ++i) sum += local[i];
  out[t] = sum;
}
