extern "C" __global__ void k(float2 *v, int n) {
  extern __shared__ float2 s[];
  int t = threadIdx.x;
  for (int i = t; i < n; i += blockDim.x) s[__brev(i) >> (__clz(n) + 1)] = v[i];
  __syncthreads();
  for (int len = 2; len <= n; len *= 2) {
    int half = len / 2, group = t / half * len, j = t % half;
    float sn, cs;
    sincospif(-2.0f * j / len, &sn, &cs);
    float2 a = s[group + j], b = s[group + j + half];
    float2 w = make_float2(b.x * cs - b.y * sn, b.x * sn + b.y * cs);
    s[group + j] = make_float2(a.x + w.x, a.y + w.y);
    s[group + j + half] = make_float2(a.x - w.x, a.y - w.y);
    __syncthreads();
  }
  for (int i = t; i < n; i += blockDim.x) v[i] = s[i];
}
