extern "C" __global__ void k(float *v, int j, int size) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
  if (other > i) {
    float a = v[i], b = v[other];
    bool up = (i & size) == 0;
    if ((a > b) == up) { v[i] = b; v[other] = a; }
  }
}
