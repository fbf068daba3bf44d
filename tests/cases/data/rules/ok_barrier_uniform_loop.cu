extern "C" __global__ void k(int* out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  #pragma unroll 1
  for (int i = 0; i < n; i++) {
    __syncthreads();
    int next = s[(t + 1) % 64];
    __syncthreads();
    s[t] = next;
  }
  out[t] = s[t];
}
