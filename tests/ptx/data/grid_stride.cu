extern "C" __global__ void k(float* y, const float* x, float a, long long n) {
  const long long threads = (long long)gridDim.x * blockDim.x;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += threads)
    y[i] = a * x[i] + y[i];
}
