// F16, f16x2, bf16 and bf16x2 arithmetic in lanes: add, sub, mul, fma, neg, abs, min,
// max, ex2, tanh.
#include "simt/lanes/halves.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

using ptx::Op;
using ptx::Opcode;
using ptx::Type;

template <class H, bool kFtz, Limit kLimit>
struct Add {
  static H of(H a, H b) {
    return finish_half<H, kFtz, kLimit>(
        add_to_odd(to_float(flush_half<kFtz>(a)), to_float(flush_half<kFtz>(b))));
  }
};
template <class H, bool kFtz, Limit kLimit>
struct Sub {
  static H of(H a, H b) {
    return finish_half<H, kFtz, kLimit>(
        add_to_odd(to_float(flush_half<kFtz>(a)), -to_float(flush_half<kFtz>(b))));
  }
};
template <class H, bool kFtz, Limit kLimit>
struct Mul {
  static H of(H a, H b) {
    const double x = to_float(flush_half<kFtz>(a)), y = to_float(flush_half<kFtz>(b));
    return finish_half<H, kFtz, kLimit>(x * y);
  }
};
template <class H, bool kFtz, Limit kLimit>
struct Fma {
  static H of(H a, H b, H c) {
    const double x = to_float(flush_half<kFtz>(a)), y = to_float(flush_half<kFtz>(b));
    return finish_half<H, kFtz, kLimit>(
        add_to_odd(x * y, to_float(flush_half<kFtz>(c))));
  }
};

template <class H, bool kFtz>
struct Neg {
  static H of(H a) { return H(flush_half<kFtz>(a).bits ^ 0x8000u); }
};
template <class H, bool kFtz>
struct Abs {
  static H of(H a) { return H(flush_half<kFtz>(a).bits & 0x7fffu); }
};

// The other operand when one is NaN (with .NaN: NaN); -0 is below +0.
template <class H, bool kMax, bool kFtz, bool kNan>
struct Extreme {
  static H of(H a, H b) {
    a = flush_half<kFtz>(a);
    b = flush_half<kFtz>(b);
    const float x = to_float(a), y = to_float(b);
    if (x != x || y != y) {
      if (kNan || (x != x && y != y)) return H(H::kNan);
      return x != x ? b : a;
    }
    if (x == y) return H(kMax ? a.bits & b.bits : a.bits | b.bits);
    return (kMax ? x > y : x < y) ? a : b;
  }
};

template <class H, bool kFtz>
struct Exponential {
  static H of(H a) {
    return finish_half<H, kFtz, Limit::None>(
        __builtin_exp2(to_float(flush_half<kFtz>(a))));
  }
};
template <class H>
struct Tangent {
  static H of(H a) { return round_to<H>(__builtin_tanh(to_float(a))); }
};

// The same on both halves of a 32-bit register.
template <class F, class H>
struct Both {
  template <class... S>
  static uint32_t of(S... s) {
    return static_cast<uint32_t>(F::of(H(s)...)) |
           static_cast<uint32_t>(F::of(H(s >> 16)...)) << 16;
  }
};

template <class F, class H, int kSources>
HandlerPair pair(bool both, bool vectorised) {
  using U = uint32_t;
  if constexpr (kSources == 1) {
    return both ? each_lane<Both<F, H>, U, U>() : each_lane<F, H, H>();
  } else if constexpr (kSources == 2) {
    if (!vectorised)
      return both ? each_lane<Both<F, H>, U, U, U>() : each_lane<F, H, H, H>();
    return both ? lanewise<Both<F, H>, U, U, U>() : lanewise<F, H, H, H>();
  } else {
    if (!vectorised) {
      return both ? each_lane<Both<F, H>, U, U, U, U>() : each_lane<F, H, H, H, H>();
    }
    return both ? lanewise<Both<F, H>, U, U, U, U>() : lanewise<F, H, H, H, H>();
  }
}

template <class H, template <class, bool, Limit> class F, int kSources>
HandlerPair with_modifiers(const Opcode& opcode, bool both) {
  if (opcode.relu) {
    return opcode.ftz ? pair<F<H, true, Limit::Relu>, H, kSources>(both, false)
                      : pair<F<H, false, Limit::Relu>, H, kSources>(both, false);
  }
  if (opcode.sat) {
    return opcode.ftz ? pair<F<H, true, Limit::Saturate>, H, kSources>(both, false)
                      : pair<F<H, false, Limit::Saturate>, H, kSources>(both, false);
  }
  return opcode.ftz ? pair<F<H, true, Limit::None>, H, kSources>(both, false)
                    : pair<F<H, false, Limit::None>, H, kSources>(both, true);
}

template <class H, bool kMax, bool kFtz>
HandlerPair extreme(bool nan, bool both) {
  return nan ? pair<Extreme<H, kMax, kFtz, true>, H, 2>(both, false)
             : pair<Extreme<H, kMax, kFtz, false>, H, 2>(both, false);
}

template <class H, bool kFtz>
HandlerPair find_simple(const Opcode& opcode, bool both) {
  switch (opcode.op) {
    case Op::Neg:
      return pair<Neg<H, kFtz>, H, 1>(both, false);
    case Op::Abs:
      return pair<Abs<H, kFtz>, H, 1>(both, false);
    case Op::Min:
      return extreme<H, false, kFtz>(opcode.nan, both);
    case Op::Max:
      return extreme<H, true, kFtz>(opcode.nan, both);
    case Op::Ex2:
      return pair<Exponential<H, kFtz>, H, 1>(both, false);
    case Op::Tanh:
      return pair<Tangent<H>, H, 1>(both, false);
    default:
      return {};
  }
}

template <class H>
HandlerPair find_typed(const Opcode& opcode, bool both) {
  switch (opcode.op) {
    case Op::Add:
      return with_modifiers<H, Add, 2>(opcode, both);
    case Op::Sub:
      return with_modifiers<H, Sub, 2>(opcode, both);
    case Op::Mul:
      return with_modifiers<H, Mul, 2>(opcode, both);
    case Op::Fma:
      return with_modifiers<H, Fma, 3>(opcode, both);
    default:
      break;
  }
  if (opcode.relu || opcode.xor_sign) return {};
  if constexpr (std::is_same_v<H, Half>) {
    if (opcode.ftz) return find_simple<H, true>(opcode, both);
  }
  return find_simple<H, false>(opcode, both);
}

}  // namespace

HandlerPair find_half(const Opcode& opcode) {
  switch (opcode.type) {
    case Type::F16:
      return find_typed<Half>(opcode, false);
    case Type::F16x2:
      return find_typed<Half>(opcode, true);
    case Type::BF16:
      return find_typed<Brain>(opcode, false);
    case Type::BF16x2:
      return find_typed<Brain>(opcode, true);
    default:
      return {};
  }
}

}  // namespace minitorch::simt::MINITORCH_ISA
