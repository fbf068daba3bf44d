// The later forms of add, min and max in lanes: pairs of 16-bit integers, .relu of
// integers, .xorsign.abs of floats.
#include "simt/lanes/halves.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

using ptx::Op;
using ptx::Opcode;
using ptx::Type;

struct TwoTermSum {
  static int32_t of(int32_t a, int32_t b) { return a + b; }
};
template <bool kMax, bool kRelu>
struct Pick {
  static int32_t of(int32_t a, int32_t b) {
    const int32_t value = (kMax ? a > b : a < b) ? a : b;
    return kRelu && value < 0 ? 0 : value;
  }
};

// F on both 16-bit halves, read as T.
template <class F, class T>
struct Both {
  static uint32_t of(uint32_t a, uint32_t b) {
    const auto low = static_cast<uint16_t>(F::of(static_cast<T>(a), static_cast<T>(b)));
    const auto high =
        static_cast<uint16_t>(F::of(static_cast<T>(a >> 16), static_cast<T>(b >> 16)));
    return low | uint32_t{high} << 16;
  }
};

template <class F, class T>
HandlerPair both() {
  return lanewise<Both<F, T>, uint32_t, uint32_t, uint32_t>();
}

template <class T>
HandlerPair find_pair(const Opcode& opcode) {
  if (opcode.op == Op::Add) return both<TwoTermSum, T>();
  if (opcode.op != Op::Min && opcode.op != Op::Max) return {};
  const bool max = opcode.op == Op::Max;
  if (opcode.relu)
    return max ? both<Pick<true, true>, T>() : both<Pick<false, true>, T>();
  return max ? both<Pick<true, false>, T>() : both<Pick<false, false>, T>();
}

// Of the magnitudes; the sign is the product's. NaNs as min and max without it.
template <class T, bool kMax, bool kFtz, bool kNan>
struct Magnitude {
  static T of(T a, T b) {
    a = flush<kFtz>(a);
    b = flush<kFtz>(b);
    constexpr auto kSign = FloatBits<T>::kSign;
    const auto sign = (bits_of(a) ^ bits_of(b)) & kSign;
    const T x = from_bits<T>(bits_of(a) & ~kSign),
            y = from_bits<T>(bits_of(b) & ~kSign);
    T value = (kMax ? x > y : x < y) ? x : y;
    value = x == x ? value : kNan ? x : y;
    value = y == y ? value : kNan ? y : x;
    return value == value ? from_bits<T>(bits_of(value) | sign) : canonical(value);
  }
};
template <class H, bool kMax, bool kFtz, bool kNan>
struct HalfMagnitude {
  static H of(H a, H b) {
    a = flush_half<kFtz>(a);
    b = flush_half<kFtz>(b);
    const uint32_t sign = (a.bits ^ b.bits) & 0x8000u;
    // Magnitudes are ordered as their bits are.
    const uint32_t x = a.bits & 0x7fffu, y = b.bits & 0x7fffu;
    const bool x_nan = x > H::kInfinity, y_nan = y > H::kInfinity;
    if ((kNan && (x_nan || y_nan)) || (x_nan && y_nan)) return H(H::kNan);
    const bool first = y_nan || (!x_nan && (kMax ? x > y : x < y));
    return H((first ? x : y) | sign);
  }
};
template <class H, bool kMax, bool kFtz, bool kNan>
struct HalfMagnitudes {
  using One = HalfMagnitude<H, kMax, kFtz, kNan>;
  static uint32_t of(uint32_t a, uint32_t b) {
    return One::of(H(a & 0xffff), H(b & 0xffff)).bits |
           uint32_t{One::of(H(a >> 16), H(b >> 16)).bits} << 16;
  }
};

template <template <class, bool, bool, bool> class F, class H, class V, bool kMax>
HandlerPair magnitude(const Opcode& opcode) {
  if (opcode.ftz) {
    return opcode.nan ? each_lane<F<H, kMax, true, true>, V, V, V>()
                      : each_lane<F<H, kMax, true, false>, V, V, V>();
  }
  return opcode.nan ? each_lane<F<H, kMax, false, true>, V, V, V>()
                    : each_lane<F<H, kMax, false, false>, V, V, V>();
}
template <template <class, bool, bool, bool> class F, class H, class V>
HandlerPair magnitude(const Opcode& opcode) {
  return opcode.op == Op::Max ? magnitude<F, H, V, true>(opcode)
                              : magnitude<F, H, V, false>(opcode);
}

}  // namespace

HandlerPair find_extreme(const Opcode& opcode) {
  if (opcode.type == Type::U16x2 && !opcode.relu) return find_pair<uint16_t>(opcode);
  if (opcode.type == Type::S16x2) return find_pair<int16_t>(opcode);
  if (opcode.op != Op::Min && opcode.op != Op::Max) return {};
  const bool max = opcode.op == Op::Max;
  if (opcode.relu) {
    if (opcode.type != Type::S32) return {};
    return max ? lanewise<Pick<true, true>, int32_t, int32_t, int32_t>()
               : lanewise<Pick<false, true>, int32_t, int32_t, int32_t>();
  }
  if (!opcode.xor_sign) return {};
  switch (opcode.type) {
    case Type::F32:
      return magnitude<Magnitude, float, float>(opcode);
    case Type::F16:
      return magnitude<HalfMagnitude, Half, Half>(opcode);
    case Type::BF16:
      return magnitude<HalfMagnitude, Brain, Brain>(opcode);
    case Type::F16x2:
      return magnitude<HalfMagnitudes, Half, uint32_t>(opcode);
    case Type::BF16x2:
      return magnitude<HalfMagnitudes, Brain, uint32_t>(opcode);
    default:
      return {};
  }
}

}  // namespace minitorch::simt::MINITORCH_ISA
