extern "C" __global__ void k(const int *in, int *out, int *top, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > 50) {
    int at = *top;
    out[at] = in[i];
    *top = at + 1;
  }
}
