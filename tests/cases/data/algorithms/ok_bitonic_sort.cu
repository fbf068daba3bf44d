extern "C" __global__ void k(int *data) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = data[t];
  __syncthreads();
  for (int size = 2; size <= 256; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      int other = t ^ stride;
      if (other > t) {
        bool up = (t & size) == 0;
        if ((s[t] > s[other]) == up) { int x = s[t]; s[t] = s[other]; s[other] = x; }
      }
      __syncthreads();
    }
  data[t] = s[t];
}
