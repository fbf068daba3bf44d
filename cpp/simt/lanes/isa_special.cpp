// The approximate float functions in lanes: rcp, sqrt, rsqrt, div, sin, cos, lg2, ex2,
// tanh. They are computed in double and rounded once, so every error is far below what
// the ISA allows; a GPU's bits may differ.
#include "simt/lanes/floats.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

using ptx::Op;
using ptx::Opcode;
using ptx::Type;

struct Reciprocal {
  static double of(double a) { return 1.0 / a; }
};
struct SquareRoot {
  static double of(double a) { return __builtin_sqrt(a); }
};
struct ReciprocalRoot {
  static double of(double a) { return 1.0 / __builtin_sqrt(a); }
};
struct Sine {
  static double of(double a) { return __builtin_sin(a); }
};
struct Cosine {
  static double of(double a) { return __builtin_cos(a); }
};
struct Logarithm {
  static double of(double a) { return __builtin_log2(a); }
};
struct Tangent {
  static double of(double a) { return __builtin_tanh(a); }
};

// 2^a = 2^n * e^(f ln 2), |f| <= 1/2, by a Taylor series that is exact to 2^-54; a is a
// float, so beyond +-200 the result is 0 or infinite in float whatever it is here.
struct Exponential {
  static double of(double a) {
    const double limited = a > 200.0 ? 200.0 : a < -200.0 ? -200.0 : a;
    const double whole = __builtin_rint(limited);
    const double x = (limited - whole) * 0.69314718055994530942;
    constexpr double kInverse[] = {1.0 / 13, 1.0 / 12, 1.0 / 11, 1.0 / 10, 1.0 / 9,
                                   1.0 / 8,  1.0 / 7,  1.0 / 6,  1.0 / 5,  1.0 / 4,
                                   1.0 / 3,  1.0 / 2,  1.0};
    double series = 1.0;
    for (double inverse : kInverse) series = 1.0 + series * x * inverse;
    // 1.5 * 2^52 brings the integer into the low bits without a conversion.
    const auto shifted = __builtin_bit_cast(uint64_t, whole + 0x1.8p52);
    const auto scale = __builtin_bit_cast(double, (shifted + 1023) << 52);
    return a == a ? series * scale : a;
  }
};

template <class F, bool kFtz>
struct Single {
  static float of(float a) {
    return flush<kFtz>(canonical(static_cast<float>(F::of(flush<kFtz>(a)))));
  }
};

// div.approx gives 0 (NaN for an infinite dividend) for divisors above 2^126.
template <bool kFull, bool kFtz>
struct Divide {
  static float of(float a, float b) {
    const double x = flush<kFtz>(a), y = flush<kFtz>(b);
    const double magnitude = __builtin_fabs(y);
    const bool huge = !kFull && magnitude > 0x1p126 && magnitude < 0x1p128;
    const double quotient = huge ? x * __builtin_copysign(0.0, y) : x / y;
    return flush<kFtz>(canonical(static_cast<float>(quotient)));
  }
};

// f64 forms keep the upper half of the result only.
template <class F>
struct Gross {
  static double of(double a) {
    return from_bits<double>(bits_of(canonical(F::of(flush<true>(a)))) &
                             ~uint64_t{0xffffffff});
  }
};
struct PreciseReciprocalRoot {
  static double of(double a) { return canonical(ReciprocalRoot::of(a)); }
};

template <class F>
HandlerPair vectorised(bool ftz) {
  return ftz ? lanewise<Single<F, true>, float, float>()
             : lanewise<Single<F, false>, float, float>();
}
template <class F>
HandlerPair one_by_one(bool ftz) {
  return ftz ? each_lane<Single<F, true>, float, float>()
             : each_lane<Single<F, false>, float, float>();
}

HandlerPair find_divide(const Opcode& opcode) {
  if (opcode.full) {
    return opcode.ftz ? lanewise<Divide<true, true>, float, float, float>()
                      : lanewise<Divide<true, false>, float, float, float>();
  }
  return opcode.ftz ? lanewise<Divide<false, true>, float, float, float>()
                    : lanewise<Divide<false, false>, float, float, float>();
}

HandlerPair find_double(const Opcode& opcode) {
  if (opcode.op == Op::Rcp) return lanewise<Gross<Reciprocal>, double, double>();
  if (opcode.op != Op::Rsqrt) return {};
  return opcode.ftz ? lanewise<Gross<ReciprocalRoot>, double, double>()
                    : lanewise<PreciseReciprocalRoot, double, double>();
}

}  // namespace

HandlerPair find_special(const Opcode& opcode) {
  if (!opcode.approx && !opcode.full) return {};
  if (opcode.type == Type::F64) return find_double(opcode);
  if (opcode.type != Type::F32) return {};
  switch (opcode.op) {
    case Op::Div:
      return find_divide(opcode);
    case Op::Rcp:
      return vectorised<Reciprocal>(opcode.ftz);
    case Op::Sqrt:
      return vectorised<SquareRoot>(opcode.ftz);
    case Op::Rsqrt:
      return vectorised<ReciprocalRoot>(opcode.ftz);
    case Op::Ex2:
      return vectorised<Exponential>(opcode.ftz);
    case Op::Sin:
      return one_by_one<Sine>(opcode.ftz);
    case Op::Cos:
      return one_by_one<Cosine>(opcode.ftz);
    case Op::Lg2:
      return one_by_one<Logarithm>(opcode.ftz);
    case Op::Tanh:
      return one_by_one<Tangent>(opcode.ftz);
    default:
      return {};
  }
}

}  // namespace minitorch::simt::MINITORCH_ISA
