extern "C" __global__ void k(const int *in, int *out) {
  __shared__ volatile int s[64];
  int t = threadIdx.x;
  s[t] = in[t] ;
  __syncthreads();
  if (t < 32) {
    int v = s[t] + s[t + 32];
    __syncwarp();
    s[t] = v; __syncwarp();
    v += s[t ^ 16]; __syncwarp(); s[t] = v; __syncwarp();
    v += s[t ^ 8]; __syncwarp(); s[t] = v; __syncwarp();
    v += s[t ^ 4]; __syncwarp(); s[t] = v; __syncwarp();
    v += s[t ^ 2]; __syncwarp(); s[t] = v; __syncwarp();
    v += s[t ^ 1];
    if (t == 0) out[0] = v;
  }
}
