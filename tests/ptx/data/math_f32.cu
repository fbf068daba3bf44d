extern "C" __global__ void k(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i];
  out[i] = sinf(x);
  out[i + n] = cosf(x);
  out[i + 2 * n] = expf(x);
  out[i + 3 * n] = logf(x);
  out[i + 4 * n] = tanhf(x);
  out[i + 5 * n] = erff(x);
  out[i + 6 * n] = powf(x, in[i + 1]);
  out[i + 7 * n] = sqrtf(x);
  out[i + 8 * n] = x / in[i + 1];
  out[i + 9 * n] = tanf(x);
  out[i + 10 * n] = rsqrtf(x);
  out[i + 11 * n] = ceilf(x) + floorf(x) + roundf(x) + truncf(x) + rintf(x);
  out[i + 12 * n] = fmodf(x, 3);
  out[i + 13 * n] = log10f(x) + log1pf(x) + expm1f(x) + exp2f(x) + cbrtf(x) +
                    lgammaf(x) + atan2f(x, 2) + log2f(x) + fminf(x, 3) + fabsf(x);
  out[i + 14 * n] = isnan(x) ? 1 : isinf(x) ? 2 : 3;
}
