extern "C" __global__ void k(const int* in, int* out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = in[t];
  int last = 0, large = 0;
  if (t == 31) last = s[t];  // its own cell; NVRTC reads s[31] in every thread
  if (t != 0 || s[t] > 5) large = 1;
  __syncthreads();
  out[t] = last + large + s[31 - t];
}
