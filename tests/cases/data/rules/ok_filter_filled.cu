__global__ void k(const float* in, float* out, int n) {
  __shared__ float tile[32], weight[8];
  int t = threadIdx.x;
  tile[t] = in[t];
  if (t < 8) weight[t] = t;
  __syncthreads();
  float total = 0;
  for (int i = 0; i < 8; ++i)
    total += tile[(t + i) % 32] * weight[i];
  out[t] = total;
}
