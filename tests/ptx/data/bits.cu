extern "C" __global__ void k(const unsigned* in, unsigned* out,
                             const unsigned long long* wide) {
  int t = threadIdx.x;
  unsigned x = in[t], y = in[t + 1];
  unsigned long long l = wide[t];
  unsigned sum =
      __popc(x) + __clz(x) + __brev(x) + __ffs(x) + __byte_perm(x, y, 0x5410);
  sum += __funnelshift_l(x, y, 5) + __funnelshift_r(x, y, x);
  sum += __popcll(l) + __clzll(l) + (unsigned)__brevll(l) + __ffsll(l);
  sum += __sad((int)x, 3, 4u) + __vadd4(x, in[2]) + __dp4a((int)x, (int)in[3], 7);
  sum += (x & 3) + ((int)(x ^ 2) >> 1) + __vsadu4(x, in[7]);
  out[t] = sum;
}
