extern "C" __global__ void k(const float* a, int n) {
  int t = threadIdx.x;
  if (t < n) printf("t %d a=%f %s %lld\n", t, a[t], "x", (long long)t);
  if (a[0] < 0) __trap();
}
