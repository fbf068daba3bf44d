struct Bits { unsigned a : 5, b : 11, c : 16; };
union Word { float f; unsigned u; unsigned char byte[4]; };
extern "C" __global__ void k(const float *in, unsigned *out) {
  int i = threadIdx.x;
  Word w;
  w.f = in[i];
  Bits b;
  b.a = w.byte[3] & 31;
  b.b = w.u >> 20;
  b.c = i * 3;
  out[i] = b.a + b.b + b.c;
}
