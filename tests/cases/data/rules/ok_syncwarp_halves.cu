extern "C" __global__ void k(int* out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = t;
  if (t < 16) { __syncwarp(0x0000ffffu); out[t] = s[15 - t]; }
  else { __syncwarp(0xffff0000u); out[t] = s[47 - t]; }
}
