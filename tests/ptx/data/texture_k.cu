extern "C" __global__ void k(cudaTextureObject_t texture, float* out) {
  unsigned t = threadIdx.x;
  out[t] = tex2D<float4>(texture, t + 0.5f, 0.5f).x + tex1Dfetch<float4>(texture, 3).x;
}
