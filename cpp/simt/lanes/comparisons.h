// How setp and set are made from a comparison of two lanes, for the isa_*.cpp sources.
#pragma once

#include "simt/lanes/floats.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

using ptx::Combine;
using ptx::Comparison;
using ptx::Op;
using ptx::Opcode;
using ptx::Type;

// A comparison of the rows a and b in all lanes, as a predicate.
using Compare = uint32_t (*)(const LaneState&, const Step*);

template <class T, class F>
[[gnu::noinline]] uint32_t compare(const LaneState& state, const Step* step) {
  return test_lanes<F, T, T>(state, step->a, step->b);
}

struct Eq {
  template <class T>
  static bool of(T a, T b) {
    return a == b;
  }
};
struct Lt {
  template <class T>
  static bool of(T a, T b) {
    return a < b;
  }
};
struct Le {
  template <class T>
  static bool of(T a, T b) {
    return a <= b;
  }
};
struct Ordered {
  template <class T>
  static bool of(T a, T b) {
    return a == a && b == b;
  }
};
template <class F>
struct Swapped {
  template <class T>
  static bool of(T a, T b) {
    return F::of(b, a);
  }
};
template <class F>
struct Negated {
  template <class T>
  static bool of(T a, T b) {
    return !F::of(a, b);
  }
};
// `ne` is false when an operand is NaN.
struct OrderedNe {
  template <class T>
  static bool of(T a, T b) {
    return a < b || a > b;
  }
};
template <Combine kCombine>
uint32_t combine(uint32_t compared, uint32_t with) {
  if constexpr (kCombine == Combine::And) return compared & with;
  if constexpr (kCombine == Combine::Or) return compared | with;
  if constexpr (kCombine == Combine::Xor) return compared ^ with;
  return compared;
}

// p = (a CMP b) BOOL c, q = !(a CMP b) BOOL c.
template <Compare kCompare, Combine kCombine>
const Step* setp(LaneState& state, const Step* step) {
  const uint32_t compared = kCompare(state, step);
  const uint32_t with = kCombine == Combine::None ? 0 : mask_row(state, step->c);
  set_predicate(state, step->d, combine<kCombine>(compared, with));
  set_predicate(state, step->d2, combine<kCombine>(~compared, with));
  return step + 1;
}

// The lanes of `bits` become kTrue, the others 0.
template <uint32_t kTrue>
[[gnu::noinline]] void spread_bits(LaneState& state, uint32_t at, uint32_t bits) {
  MaskRow* d = row<uint32_t>(state, at);
  MINITORCH_LANE_LOOP
  for (uint32_t i = 0; i < kLanes; ++i) {
    const uint32_t value = bits & kLaneBit[i] ? kTrue : 0u;
    d[i] = state.mask & kLaneBit[i] ? value : d[i];
  }
}

template <Compare kCompare, Combine kCombine, uint32_t kTrue>
const Step* set(LaneState& state, const Step* step) {
  const uint32_t compared = kCompare(state, step);
  const uint32_t with = kCombine == Combine::None ? 0 : mask_row(state, step->c);
  spread_bits<kTrue>(state, step->d, combine<kCombine>(compared, with));
  return next(state, step);
}

// The narrow results exist without .BOOL only, which keeps the number of handlers down.
template <Compare kCompare, Combine kCombine>
Handler find_set(Type to) {
  if (to == Type::U32 || to == Type::S32) return &set<kCompare, kCombine, 0xffffffffu>;
  if (to == Type::F32) return &set<kCompare, kCombine, 0x3f800000u>;
  if constexpr (kCombine == Combine::None) {
    if (to == Type::U16 || to == Type::S16) return &set<kCompare, kCombine, 0xffffu>;
    if (to == Type::F16) return &set<kCompare, kCombine, 0x3c00u>;
    if (to == Type::BF16) return &set<kCompare, kCombine, 0x3f80u>;
  }
  return nullptr;
}

template <Compare kCompare, Combine kCombine>
Handler find_combined(const Opcode& opcode) {
  if (opcode.op == Op::Setp) return &setp<kCompare, kCombine>;
  return find_set<kCompare, kCombine>(opcode.type);
}

template <class T, class F>
Handler of(const Opcode& opcode) {
  constexpr Compare kCompare = &compare<T, F>;
  switch (opcode.combine) {
    case Combine::None:
      return find_combined<kCompare, Combine::None>(opcode);
    case Combine::And:
      return find_combined<kCompare, Combine::And>(opcode);
    case Combine::Or:
      return find_combined<kCompare, Combine::Or>(opcode);
    case Combine::Xor:
      return find_combined<kCompare, Combine::Xor>(opcode);
  }
  return nullptr;
}

// F wraps a comparison with what happens to the operands first.
template <class T, template <class> class F>
Handler of_floats(const Opcode& opcode) {
  switch (opcode.comparison) {
    case Comparison::Eq:
      return of<T, F<Eq>>(opcode);
    case Comparison::Ne:
      return of<T, F<OrderedNe>>(opcode);
    case Comparison::Lt:
      return of<T, F<Lt>>(opcode);
    case Comparison::Le:
      return of<T, F<Le>>(opcode);
    case Comparison::Gt:
      return of<T, F<Swapped<Lt>>>(opcode);
    case Comparison::Ge:
      return of<T, F<Swapped<Le>>>(opcode);
    case Comparison::Equ:
      return of<T, F<Negated<OrderedNe>>>(opcode);
    case Comparison::Neu:
      return of<T, F<Negated<Eq>>>(opcode);
    case Comparison::Ltu:
      return of<T, F<Negated<Swapped<Le>>>>(opcode);
    case Comparison::Leu:
      return of<T, F<Negated<Swapped<Lt>>>>(opcode);
    case Comparison::Gtu:
      return of<T, F<Negated<Le>>>(opcode);
    case Comparison::Geu:
      return of<T, F<Negated<Lt>>>(opcode);
    case Comparison::Num:
      return of<T, F<Ordered>>(opcode);
    case Comparison::Nan:
      return of<T, F<Negated<Ordered>>>(opcode);
    default:
      return nullptr;
  }
}

template <class F>
using Plain = F;

}  // namespace
}  // namespace minitorch::simt::MINITORCH_ISA
