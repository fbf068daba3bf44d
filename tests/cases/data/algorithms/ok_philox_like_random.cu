extern "C" __global__ void k(unsigned long long seed, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long x = seed + 0x9E3779B97F4A7C15ull * (i + 1);
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  out[i] = (unsigned)((x ^ (x >> 31)) >> 32);
}
