extern "C" __global__ void k(const double* in, double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double x = in[i];
  out[i] = sin(x);
  out[i + n] = cos(x);
  out[i + 2 * n] = exp(x);
  out[i + 3 * n] = log(x);
  out[i + 4 * n] = tanh(x);
  out[i + 5 * n] = erf(x);
  out[i + 6 * n] = pow(x, in[i + 1]);
  out[i + 7 * n] = sqrt(x);
  out[i + 8 * n] = x / in[i + 1];
  out[i + 9 * n] = floor(x) + rsqrt(x) + fmin(x, 2.0) + fabs(x);
}
