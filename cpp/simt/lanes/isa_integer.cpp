// Integer arithmetic in lanes: add, sub, div, rem, neg, abs, min, max, sad (products:
// isa_product.cpp, carry chains: isa_carry.cpp).
#include "simt/lanes/wrapping.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

using ptx::Op;
using ptx::Opcode;
using ptx::Type;

template <class T>
struct Add {
  static T of(T a, T b) { return static_cast<T>(Bits<T>(a) + Bits<T>(b)); }
};
template <class T>
struct Sub {
  static T of(T a, T b) { return static_cast<T>(Bits<T>(a) - Bits<T>(b)); }
};
struct AddSaturated {
  static int32_t of(int32_t a, int32_t b) { return saturate(int64_t{a} + b); }
};
struct SubSaturated {
  static int32_t of(int32_t a, int32_t b) { return saturate(int64_t{a} - b); }
};
// A zero divisor gives all ones and leaves the dividend as remainder. Quotients of
// 32-bit integers are exact through double: a / b is never closer to an integer from
// below than 2^-32 of its value, so rounding cannot reach the next one.
template <class T>
struct Div {
  static T of(T a, T b) {
    if constexpr (sizeof(T) == 8) {
      if (b == 0) return static_cast<T>(~uint64_t{0});
      if (std::is_signed_v<T> && b == static_cast<T>(-1)) return Sub<T>::of(0, a);
      return a / b;
    } else if constexpr (std::is_signed_v<T>) {
      const int32_t wide_a = a, wide_b = b;
      const bool plain = wide_b != 0 && wide_b != -1;
      const auto quotient =
          static_cast<int32_t>(double(wide_a) / double(plain ? wide_b : 1));
      const int32_t special = wide_b == 0 ? -1 : Sub<int32_t>::of(0, wide_a);
      return static_cast<T>(plain ? quotient : special);
    } else {
      const auto quotient =
          static_cast<uint32_t>(double(a) / double(b != 0 ? b : T{1}));
      return static_cast<T>(b != 0 ? quotient : ~0u);
    }
  }
};
template <class T>
struct Rem {
  static T of(T a, T b) {
    return b == 0
               ? a
               : Sub<T>::of(a, static_cast<T>(Bits<T>(Div<T>::of(a, b)) * Bits<T>(b)));
  }
};

template <class T>
struct Neg {
  static T of(T a) { return Sub<T>::of(0, a); }
};
template <class T>
struct Abs {
  static T of(T a) { return a < 0 ? Neg<T>::of(a) : a; }
};
template <class T>
struct Min {
  static T of(T a, T b) { return a < b ? a : b; }
};
template <class T>
struct Max {
  static T of(T a, T b) { return a > b ? a : b; }
};
template <class T>
struct Sad {
  static T of(T a, T b, T c) {
    const Bits<T> distance = a < b ? Bits<T>(b) - Bits<T>(a) : Bits<T>(a) - Bits<T>(b);
    return static_cast<T>(distance + Bits<T>(c));
  }
};

struct IsZero {
  template <class T>
  static bool of(T a, T) {
    return a == 0;
  }
};

// Notes the lanes that divide by zero, then divides.
template <class T, Handler kDivide>
const Step* dividing(LaneState& state, const Step* step) {
  state.division_by_zero |=
      test_lanes<IsZero, T, T>(state, step->b, step->b) & state.mask;
  return kDivide(state, step);
}
template <template <class> class F, class T>
HandlerPair division() {
  using Loops = Lanewise<F<T>, T, T, T>;
  if constexpr (sizeof(T) == 8) {
    return {&dividing<T, &Loops::each>, &dividing<T, &Loops::each>};
  } else {
    return {&dividing<T, &Loops::full>, &dividing<T, &Loops::masked>};
  }
}

template <class T>
HandlerPair find_typed(const Opcode& opcode) {
  switch (opcode.op) {
    case Op::Add:
      return lanewise<Add<T>, T, T, T>();
    case Op::Sub:
      return lanewise<Sub<T>, T, T, T>();
    case Op::Div:
      return division<Div, T>();
    case Op::Rem:
      return division<Rem, T>();
    case Op::Neg:
      return lanewise<Neg<T>, T, T>();
    case Op::Abs:
      return lanewise<Abs<T>, T, T>();
    case Op::Min:
      return lanewise<Min<T>, T, T, T>();
    case Op::Max:
      return lanewise<Max<T>, T, T, T>();
    case Op::Sad:
      return lanewise<Sad<T>, T, T, T, T>();
    default:
      return {};
  }
}

HandlerPair find_saturating(const Opcode& opcode) {
  if (opcode.type != Type::S32) return {};
  switch (opcode.op) {
    case Op::Add:
      return lanewise<AddSaturated, int32_t, int32_t, int32_t>();
    case Op::Sub:
      return lanewise<SubSaturated, int32_t, int32_t, int32_t>();
    default:
      return {};
  }
}

}  // namespace

HandlerPair find_integer(const Opcode& opcode) {
  if (opcode.carry_in || opcode.carry_out || opcode.relu) return {};
  if (opcode.sat) return find_saturating(opcode);
  switch (opcode.type) {
    case Type::S16:
      return find_typed<int16_t>(opcode);
    case Type::U16:
      return find_typed<uint16_t>(opcode);
    case Type::S32:
      return find_typed<int32_t>(opcode);
    case Type::U32:
      return find_typed<uint32_t>(opcode);
    case Type::S64:
      return find_typed<int64_t>(opcode);
    case Type::U64:
      return find_typed<uint64_t>(opcode);
    default:
      return {};
  }
}

}  // namespace minitorch::simt::MINITORCH_ISA
