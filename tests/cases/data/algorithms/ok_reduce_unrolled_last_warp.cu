template <int N> __device__ void last(volatile float *s, int t) {
  if (N >= 64) { float v = s[t] + s[t + 32]; __syncwarp(); s[t] = v; __syncwarp(); }
  for (int d = 16; d > 0; d /= 2) {
    float v = t < d ? s[t + d] : 0;
    __syncwarp();
    if (t < d) s[t] += v;
    __syncwarp();
  }
}
extern "C" __global__ void k(const float *in, float *out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  if (t < 128) s[t] += s[t + 128];
  __syncthreads();
  if (t < 64) s[t] += s[t + 64];
  __syncthreads();
  if (t < 32) last<64>(s, t);
  if (t == 0) *out = s[0];
}
