extern "C" __global__ void k(const unsigned* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = in[i];
  int steps = 0;
  while (x != 1 && steps < 1000) {
    x = x & 1 ? 3 * x + 1 : x >> 1;
    ++steps;
    if (steps == 500 && (x & 3) == 2) break;
  }
  out[i] = steps;
}
