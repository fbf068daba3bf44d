// The f32 and f64 operations that look at signs, order and classes: min, max, neg, abs,
// copysign, testp.
#include "simt/lanes/floats.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

using ptx::FloatClass;
using ptx::Op;
using ptx::Opcode;
using ptx::Type;

// The other operand when one is NaN (with .NaN: NaN); -0 is below +0.
template <class T, bool kMax, bool kFtz, bool kNan>
struct Extreme {
  static T of(T a, T b) {
    a = flush<kFtz>(a);
    b = flush<kFtz>(b);
    const bool first = kMax ? a > b : a < b;
    const T zeros = kMax ? from_bits<T>(bits_of(a) & bits_of(b))
                         : from_bits<T>(bits_of(a) | bits_of(b));
    T result = first ? a : b;
    result = a == b ? zeros : result;
    if constexpr (kNan) {
      result = a == a ? result : a;
      result = b == b ? result : b;
    } else {
      result = a == a ? result : b;
      result = b == b ? result : a;
    }
    return canonical(result);
  }
};

template <class T, bool kFtz>
struct Neg {
  static T of(T a) {
    a = flush<kFtz>(a);
    return from_bits<T>(bits_of(a) ^ FloatBits<T>::kSign);
  }
};
template <class T, bool kFtz>
struct Abs {
  static T of(T a) {
    a = flush<kFtz>(a);
    return from_bits<T>(bits_of(a) & ~FloatBits<T>::kSign);
  }
};
// The sign of a, the magnitude of b.
template <class T>
struct Copysign {
  static T of(T a, T b) {
    constexpr auto kSign = FloatBits<T>::kSign;
    return from_bits<T>((bits_of(a) & kSign) | (bits_of(b) & ~kSign));
  }
};

template <FloatClass kClass>
struct Is {
  template <class T>
  static bool of(T a, T) {
    constexpr auto kExponent = FloatBits<T>::kExponent;
    const auto bits = bits_of(a), exponent = bits & kExponent;
    const bool zero = (bits & ~FloatBits<T>::kSign) == 0;
    switch (kClass) {
      case FloatClass::Finite:
        return exponent != kExponent;
      case FloatClass::Infinite:
        return (bits & ~FloatBits<T>::kSign) == kExponent;
      case FloatClass::Number:
        return a == a;
      case FloatClass::NotANumber:
        return a != a;
      case FloatClass::Normal:
        return exponent != 0 && exponent != kExponent;
      case FloatClass::Subnormal:
        return exponent == 0 && !zero;
      default:
        return false;
    }
  }
};

template <class T, FloatClass kClass>
const Step* test(LaneState& state, const Step* step) {
  set_predicate(state, step->d, test_lanes<Is<kClass>, T, T>(state, step->a, step->a));
  return step + 1;
}

template <class T>
HandlerPair find_test(FloatClass asked) {
  Handler handler = nullptr;
  switch (asked) {
    case FloatClass::Finite:
      handler = &test<T, FloatClass::Finite>;
      break;
    case FloatClass::Infinite:
      handler = &test<T, FloatClass::Infinite>;
      break;
    case FloatClass::Number:
      handler = &test<T, FloatClass::Number>;
      break;
    case FloatClass::NotANumber:
      handler = &test<T, FloatClass::NotANumber>;
      break;
    case FloatClass::Normal:
      handler = &test<T, FloatClass::Normal>;
      break;
    case FloatClass::Subnormal:
      handler = &test<T, FloatClass::Subnormal>;
      break;
    case FloatClass::None:
      break;
  }
  return {handler, handler};
}

template <class T, bool kFtz>
HandlerPair find_signed(const Opcode& opcode) {
  const bool max = opcode.op == Op::Max;
  switch (opcode.op) {
    case Op::Min:
    case Op::Max:
      if (opcode.nan) {
        return max ? lanewise<Extreme<T, true, kFtz, true>, T, T, T>()
                   : lanewise<Extreme<T, false, kFtz, true>, T, T, T>();
      }
      return max ? lanewise<Extreme<T, true, kFtz, false>, T, T, T>()
                 : lanewise<Extreme<T, false, kFtz, false>, T, T, T>();
    case Op::Neg:
      return lanewise<Neg<T, kFtz>, T, T>();
    case Op::Abs:
      return lanewise<Abs<T, kFtz>, T, T>();
    case Op::Copysign:
      return lanewise<Copysign<T>, T, T, T>();
    case Op::Testp:
      return find_test<T>(opcode.float_class);
    default:
      return {};
  }
}

}  // namespace

HandlerPair find_float_sign(const Opcode& opcode) {
  if (opcode.relu || opcode.xor_sign) return {};
  if (opcode.type == Type::F64) return find_signed<double, false>(opcode);
  if (opcode.type != Type::F32) return {};
  return opcode.ftz ? find_signed<float, true>(opcode)
                    : find_signed<float, false>(opcode);
}

}  // namespace minitorch::simt::MINITORCH_ISA
