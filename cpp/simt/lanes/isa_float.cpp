// The IEEE arithmetic of f32 and f64 in lanes: add, sub, mul, fma, mad, div, rcp, sqrt
// in every rounding (approximate forms: isa_special.cpp; min, max, neg, abs:
// isa_float_sign.cpp).
#include "simt/lanes/floats.h"
#include "simt/lanes/rounding.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

using ptx::Op;
using ptx::Opcode;
using ptx::Type;

template <class T, bool kFtz, bool kSat>
struct Add {
  static T of(T a, T b) { return finish<kFtz, kSat>(flush<kFtz>(a) + flush<kFtz>(b)); }
};
template <class T, bool kFtz, bool kSat>
struct Sub {
  static T of(T a, T b) { return finish<kFtz, kSat>(flush<kFtz>(a) - flush<kFtz>(b)); }
};
template <class T, bool kFtz, bool kSat>
struct Mul {
  static T of(T a, T b) { return finish<kFtz, kSat>(flush<kFtz>(a) * flush<kFtz>(b)); }
};
template <class T, bool kFtz, bool kSat>
struct Fma {
  static T of(T a, T b, T c) {
    if constexpr (sizeof(T) == 4) {
      return finish<kFtz, kSat>(
          __builtin_fmaf(flush<kFtz>(a), flush<kFtz>(b), flush<kFtz>(c)));
    } else {
      return finish<kFtz, kSat>(__builtin_fma(a, b, c));
    }
  }
};
template <class T, bool kFtz, bool>
struct Div {
  static T of(T a, T b) { return finish<kFtz, false>(flush<kFtz>(a) / flush<kFtz>(b)); }
};
template <class T, bool kFtz, bool>
struct Rcp {
  static T of(T a) { return finish<kFtz, false>(T{1} / flush<kFtz>(a)); }
};
template <class T, bool kFtz, bool>
struct Sqrt {
  static T of(T a) {
    if constexpr (sizeof(T) == 4) {
      return finish<kFtz, false>(__builtin_sqrtf(flush<kFtz>(a)));
    } else {
      return finish<kFtz, false>(__builtin_sqrt(a));
    }
  }
};

template <template <class, bool, bool> class F, class T, class... S>
HandlerPair with_modifiers(const Opcode& opcode) {
  if constexpr (sizeof(T) == 4) {
    if (opcode.ftz && opcode.sat) {
      return lanewise_rounded<F<T, true, true>, T, S...>(opcode.rounding);
    }
    if (opcode.ftz)
      return lanewise_rounded<F<T, true, false>, T, S...>(opcode.rounding);
    if (opcode.sat)
      return lanewise_rounded<F<T, false, true>, T, S...>(opcode.rounding);
  }
  return lanewise_rounded<F<T, false, false>, T, S...>(opcode.rounding);
}

template <class T>
HandlerPair find_typed(const Opcode& opcode) {
  switch (opcode.op) {
    case Op::Add:
      return with_modifiers<Add, T, T, T>(opcode);
    case Op::Sub:
      return with_modifiers<Sub, T, T, T>(opcode);
    case Op::Mul:
      return with_modifiers<Mul, T, T, T>(opcode);
    case Op::Fma:
    case Op::Mad:
      return with_modifiers<Fma, T, T, T, T>(opcode);
    case Op::Div:
      return with_modifiers<Div, T, T, T>(opcode);
    case Op::Rcp:
      return with_modifiers<Rcp, T, T>(opcode);
    case Op::Sqrt:
      return with_modifiers<Sqrt, T, T>(opcode);
    default:
      return {};
  }
}

}  // namespace

HandlerPair find_float(const Opcode& opcode) {
  if (opcode.approx || opcode.full || opcode.relu) return {};
  if (opcode.type == Type::F32) return find_typed<float>(opcode);
  if (opcode.type == Type::F64) return find_typed<double>(opcode);
  return {};
}

}  // namespace minitorch::simt::MINITORCH_ISA
