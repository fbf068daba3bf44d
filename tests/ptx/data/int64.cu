using Long = long long;
using Unsigned = unsigned long long;
extern "C" __global__ void k(const Long* a, const Unsigned* b, Long* out, int n) {
  int t = threadIdx.x;
  Long x = a[t];
  Unsigned y = b[t];
  out[t] = x * a[t + 1] + x / a[t + 2] + x % a[t + 3];
  out[t + n] = (y << 5 ^ x >> 7) ^ (y / b[t + 1] + y % b[t + 2]);
  out[t + 2 * n] = __mul64hi(x, a[t + 1]) + __umul64hi(y, b[t + 1]) + (Long)(double)x +
                   (Long)(float)x + llabs(x) + max(x, a[t + 4]);
  out[t + 3 * n] = __mulhi((int)x, (int)y) + __umulhi((unsigned)x, (unsigned)y);
}
