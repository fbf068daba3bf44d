extern "C" __global__ void k(const float* f, const double* d, const int* i,
                             const signed char* c, const short* s, float* fo,
                             double* d_o, int* io, unsigned char* co) {
  int t = threadIdx.x;
  io[t] = (int)f[t] + __float2int_rn(f[t + 1]) + __float2int_ru(f[t + 2]) + (int)d[t] +
          c[t] + s[t] + (unsigned)f[t + 3];
  fo[t] = (float)i[t] + (float)d[t] + (float)c[t] + (float)(unsigned)i[t + 1] +
          __int2float_rn(i[t]);
  d_o[t] = (double)f[t] + (double)i[t];
  co[t] = (unsigned char)f[t];
  io[t + 1] = i[t] && f[t];
  fo[t + 1] = __int_as_float(i[t]);
  d_o[t + 1] = __hiloint2double(i[t], i[t + 1]);
}
