template <class F> __device__ void each(int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) f(i);
}
template <int N> __device__ int power(int x) { int r = 1; for (int i = 0; i < N; ++i) r *= x; return r; }
extern "C" __global__ void k(const int *in, int *out, int n) {
  each(n, [=](int i) { out[i] = power<3>(in[i]); });
}
