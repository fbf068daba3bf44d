extern "C" __global__ void k(const double *in, int *index, double *out, int n) {
  extern __shared__ double pool[];
  double *values = pool;
  int *order = (int *)(pool + n);
  int t = threadIdx.x;
  if (t < n) { values[t] = in[t]; order[t] = 0; }
  __syncthreads();
  if (t < n) for (int j = 0; j < n; ++j) order[t] += values[j] < values[t] || (values[j] == values[t] && j < t);
  __syncthreads();
  if (t < n) { index[t] = order[t]; out[order[t]] = values[t]; }
}
