extern "C" __global__ void k(const float *in, float *out, int n) {
  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 3 < n) {
    float4 v = *reinterpret_cast<const float4 *>(in + i);
    v.x *= 2; v.y *= 2; v.z *= 2; v.w *= 2;
    *reinterpret_cast<float4 *>(out + i) = v;
  } else {
    for (; i < n; ++i) out[i] = in[i] * 2;
  }
}
