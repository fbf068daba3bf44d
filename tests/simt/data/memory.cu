// Every size, vector and space of loads and stores.
extern "C" __global__ void narrow(int* out, const signed char* c, const short* s,
                                  const unsigned char* b, unsigned short* h) {
  int t = threadIdx.x;
  out[t] = c[t] + s[t] * 2 + b[t] * 3;
  h[t] = (unsigned short)(s[t] + c[t]);
}
extern "C" __global__ void vectors(float4* out, const float4* in, const double2* d,
                                   const short4* s) {
  int t = threadIdx.x;
  float4 v = in[t];
  double2 e = d[t];
  short4 q = s[31 - t];
  out[t] = make_float4(v.w, v.z + (float)e.x, v.y - (float)e.y, v.x + q.x * q.w - q.y);
}
// The pointer's space depends on the lane.
extern "C" __global__ void generic(int* out, int* in, int shift) {
  __shared__ int cells[32];
  int own[4];
  int t = threadIdx.x;
  cells[t] = 1000 + t;
  for (int i = 0; i < 4; ++i) own[i] = 2000 + t * i + shift;
  __syncthreads();
  int* from = t % 3 == 0 ? cells + (t ^ 1) : t % 3 == 1 ? in + t : own + (t & 3);
  out[t] = *from;
  *from += 1;
  __syncthreads();
  out[t + 32] = cells[t] + own[t & 3] + in[t];
}
extern "C" __global__ void stack(int* out, const int* in, int n) {
  unsigned char small[20];
  long long wide[10];
  int t = threadIdx.x;
  for (int i = 0; i < 20; ++i) small[i] = (unsigned char)(i * 13 + t);
  for (int i = 0; i < 10; ++i) wide[i] = (long long)i * in[t] << 20;
  out[t] = small[in[t] % 20] + (int)(wide[in[t] % 10] >> 18) + small[n % 20];
}
struct Table {
  int count;
  short scale;
  float weights[6];
};
extern "C" __global__ void structure(float* out, Table table, char extra) {
  int t = threadIdx.x;
  out[t] = table.weights[t % table.count] * table.scale + extra;
}
extern "C" __global__ void dynamic_shared(int* out, int n) {
  extern __shared__ double buffer[];
  __shared__ int before[3];
  int t = threadIdx.x;
  if (t < 3) before[t] = t;
  buffer[t] = t * 0.5;
  __syncthreads();
  out[t] = (int)(buffer[n - 1 - t] * 2) + before[t % 3];
}
extern "C" __global__ void guarded(int* out, const int* in) {
  int t = threadIdx.x, v = -1;
  asm volatile(
      "{ .reg .pred p; setp.gt.s32 p, %1, 10;\n"
      "@p ld.global.s32 %0, [%2];\n"
      "@!p add.s32 %0, %1, 100;\n"
      "@p bra skip; mul.lo.s32 %0, %0, 2; skip: }"
      : "+r"(v)
      : "r"(t), "l"(in + t)
      : "memory");
  if (t < 32) out[t] = v;
}
