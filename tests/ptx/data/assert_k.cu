extern "C" __global__ void k(const float* a, int n) {
  assert(n > 0);
  assert(a[threadIdx.x] >= 0.f);
}
