extern "C" __global__ void k(const int* in, int* out) {
  int t = threadIdx.x;
  int odd = __syncthreads_count(in[t] & 1);
  int any = __syncthreads_or(in[t] == 63), all = __syncthreads_and(in[t] < 64);
  out[t] = odd * 100 + any * 10 + all;
}
