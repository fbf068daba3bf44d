// Owns the host loops of the comparisons.
#include "cpu/compare.h"

namespace minitorch::cpu {

template <class T>
void compare(Compare op, std::span<const int64_t> shape, Strided<const T> a,
             Strided<const T> b, Strided<bool> out) {
  auto run = [&](auto f) { zip_loop<T>(shape, a, b, out, f); };
  switch (op) {
    case Compare::Less:
      return run([](T x, T y) { return x < y; });
    case Compare::LessEqual:
      return run([](T x, T y) { return x <= y; });
    case Compare::Greater:
      return run([](T x, T y) { return x > y; });
    case Compare::GreaterEqual:
      return run([](T x, T y) { return x >= y; });
    case Compare::Equal:
      return run([](T x, T y) { return x == y; });
    case Compare::NotEqual:
      return run([](T x, T y) { return x != y; });
  }
}

#define MINITORCH_COMPARE(T)                                                    \
  template void compare<T>(Compare, std::span<const int64_t>, Strided<const T>, \
                           Strided<const T>, Strided<bool>);
MINITORCH_COMPARE(float)
MINITORCH_COMPARE(double)
MINITORCH_COMPARE(int32_t)
MINITORCH_COMPARE(int64_t)
MINITORCH_COMPARE(uint8_t)
#undef MINITORCH_COMPARE

}  // namespace minitorch::cpu
