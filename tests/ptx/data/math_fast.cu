extern "C" __global__ void k(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
  out[i] = __sinf(x) + __cosf(x) + __expf(x) + __logf(x) + __powf(x, 2.5f) +
           __fdividef(x, 3) + __frcp_rn(x) + __fsqrt_rn(x) + __saturatef(x) +
           __fmaf_rz(x, x, x) + __log2f(x) + __log10f(x) + __tanf(x) + __exp10f(x) +
           __frsqrt_rn(x) + __fadd_rn(x, 1) + __fmul_rn(x, x) + __fdiv_rn(x, 7);
}
