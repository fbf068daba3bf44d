// For compute_80.
#include <cuda_bf16.h>
using Half = __nv_bfloat16;
extern "C" __global__ void k(const Half* a, const __nv_bfloat162* b, Half* out,
                             __nv_bfloat162* pairs, float* f) {
  int t = threadIdx.x;
  out[t] = a[t] * a[t] + Half(2.5f) - a[t + 1];
  pairs[t] = b[t] * b[t + 1];
  f[t] = __bfloat162float(a[t]);
  out[t + 4] = __hmax(a[t], a[2]);
  if (a[t] < a[3]) out[t + 5] = a[t] / a[4];
  pairs[t + 1] = __floats2bfloat162_rn(f[t], f[t + 2]);
}
