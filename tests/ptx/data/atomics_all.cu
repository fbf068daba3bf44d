extern "C" __global__ void k(int* a, float* f, unsigned long long* l, double* d,
                             unsigned* u) {
  int t = threadIdx.x;
  atomicMax(a, t);
  atomicMin(a + 1, t);
  atomicAnd(a + 2, t);
  atomicOr(a + 3, t);
  atomicXor(a + 4, t);
  a[t] = atomicExch(a + 5, t);
  a[t + 9] = atomicCAS(a + 6, t, t + 1);
  atomicAdd(f, t);
  atomicAdd(l, t);
  atomicAdd(d, t);
  u[t] = atomicInc(u, 7);
  u[t + 1] = atomicDec(u, 7);
  f[t] = atomicAdd(f + 3, 2);
  atomicAdd_block(a + 8, 1);
  atomicAdd_system(a + 9, 1);
  __threadfence();
  __threadfence_block();
  __threadfence_system();
  int seen = __float_as_int(f[9]), before;
  do {
    before = seen;
    seen = atomicCAS((int*)f + 9, before,
                     __float_as_int(fmaxf(__int_as_float(before), 3)));
  } while (seen != before);
}
