extern "C" __global__ void k(const float* in, float4* out) {
  out[threadIdx.x] = *(const float4*)(in + threadIdx.x);
}
