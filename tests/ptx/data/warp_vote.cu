// For compute_80, which has redux.
extern "C" __global__ void k(const int* in, unsigned* out) {
  int t = threadIdx.x, v = in[t];
  const unsigned all = 0xffffffff;
  unsigned sum = __ballot_sync(all, v > 3) + __any_sync(all, v > 9) + __activemask();
  sum += __all_sync(all, v > 1) + __shfl_sync(all, v, 5, 8);
  sum += __syncthreads_count(v > 2) + __syncthreads_or(v) + __syncthreads_and(v);
  out[t] = sum;
  __syncwarp();
  out[t + 32] = __match_any_sync(all, v);
  int same;
  unsigned mask = __match_all_sync(all, v, &same);
  out[t + 64] = mask + same;
  out[t + 96] = __reduce_add_sync(all, v) + __reduce_max_sync(all, v) +
                __reduce_or_sync(all, (unsigned)v);
}
