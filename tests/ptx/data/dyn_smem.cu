extern "C" __global__ void k(const float* in, float* out, int n) {
  extern __shared__ __align__(16) float sm[];
  int* index = (int*)(sm + n);
  int t = threadIdx.x;
  sm[t] = in[t];
  index[t] = t * 7 % n;
  __syncthreads();
  out[t] = sm[index[t]];
}
