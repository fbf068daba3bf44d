extern "C" __global__ void k(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x] * 2;
}
