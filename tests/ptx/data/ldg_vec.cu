extern "C" __global__ void k(const float* in, float* out, const int* index, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 v = __ldg((const float4*)in + __ldg(index + i));
  ((float4*)out)[i] = make_float4(v.x * 2, v.y + 1, -v.z, v.w);
  __stcs(out + 4 * i, __ldcg(in + i));
}
