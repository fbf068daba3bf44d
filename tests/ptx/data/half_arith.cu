#include <cuda_fp16.h>
extern "C" __global__ void k(const half* a, const half2* b, half* out, half2* pairs,
                             float* f, int n) {
  int t = threadIdx.x;
  out[t] = a[t] * a[t] + half(2.5f) - a[t + 1];
  pairs[t] = __hfma2(b[t], b[t + 1], __hadd2(b[t], b[t]));
  f[t] = __half2float(a[t]);
  if (a[t] > a[t + 2]) out[t + 3] = hexp(a[t]) / a[t];
  out[t + 4] = __hmax(a[t], a[2]);
  out[t + 5] = __int2half_rn(t);
  f[t + 1] = __half2int_rz(a[t]);
  out[t + 6] = hsqrt(a[t]);
  out[t + 7] = hrcp(a[t]);
  pairs[t + 1] = __hmul2(b[t], b[2]);
  f[t + 9] = __low2float(b[t]) + __high2float(b[t]);
}
