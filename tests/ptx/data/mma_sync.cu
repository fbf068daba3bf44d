extern "C" __global__ void k(const unsigned* a, const unsigned* b, float* out) {
  __shared__ __align__(16) unsigned sm[256];
  int t = threadIdx.x;
  for (int i = t; i < 256; i += 32) sm[i] = a[i];
  __syncthreads();
  unsigned at = (unsigned)__cvta_generic_to_shared(sm + t % 16 * 4), x, y;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1},[%2];"
               : "=r"(x), "=r"(y)
               : "r"(at));
  float c[4] = {};
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
      "{%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(x), "r"(y), "r"(b[t]));
  for (int i = 0; i < 4; ++i) out[t + 32 * i] = c[i];
}
