// The bitwise logic and the plain shifts in lanes, and the logic of predicates (bit
// fields and counts: isa_fields.cpp).
#include "simt/lanes/rows.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

using ptx::Op;
using ptx::Opcode;

struct And {
  template <class T>
  static T of(T a, T b) {
    return a & b;
  }
};
struct Or {
  template <class T>
  static T of(T a, T b) {
    return a | b;
  }
};
struct Xor {
  template <class T>
  static T of(T a, T b) {
    return a ^ b;
  }
};
template <class T>
struct Not {
  static T of(T a) { return static_cast<T>(~a); }
};
template <class T>
struct Cnot {
  static T of(T a) { return a == 0; }
};

// Shift amounts are 32-bit and clamp at the width.
template <class T>
struct Shl {
  static T of(T a, uint32_t by) {
    constexpr uint32_t kWidth = 8 * sizeof(T);
    return by < kWidth ? static_cast<T>(a << (by & (kWidth - 1))) : T{0};
  }
};
template <class T>
struct Shr {
  static T of(T a, uint32_t by) {
    constexpr uint32_t kWidth = 8 * sizeof(T);
    if constexpr (std::is_signed_v<T>) {
      return static_cast<T>(a >> (by < kWidth ? by : kWidth - 1));
    } else {
      return by < kWidth ? static_cast<T>(a >> (by & (kWidth - 1))) : T{0};
    }
  }
};

template <class T>
HandlerPair find_logic(Op op) {
  switch (op) {
    case Op::And:
      return lanewise<And, T, T, T>();
    case Op::Or:
      return lanewise<Or, T, T, T>();
    case Op::Xor:
      return lanewise<Xor, T, T, T>();
    case Op::Not:
      return lanewise<Not<T>, T, T>();
    case Op::Cnot:
      return lanewise<Cnot<T>, T, T>();
    case Op::Shl:
      return lanewise<Shl<T>, T, T, uint32_t>();
    case Op::Shr:
      return lanewise<Shr<T>, T, T, uint32_t>();
    default:
      return {};
  }
}

template <class T>
HandlerPair find_signed(Op op) {
  if (op == Op::Shr) return lanewise<Shr<T>, T, T, uint32_t>();
  return find_logic<std::make_unsigned_t<T>>(op);
}

template <class F>
const Step* of_predicates(LaneState& state, const Step* step) {
  set_predicate(state, step->d,
                F::of(mask_row(state, step->a), mask_row(state, step->b)));
  return step + 1;
}
const Step* not_predicate(LaneState& state, const Step* step) {
  set_predicate(state, step->d, ~mask_row(state, step->a));
  return step + 1;
}

HandlerPair find_predicate(Op op) {
  switch (op) {
    case Op::And:
      return {&of_predicates<And>, &of_predicates<And>};
    case Op::Or:
      return {&of_predicates<Or>, &of_predicates<Or>};
    case Op::Xor:
      return {&of_predicates<Xor>, &of_predicates<Xor>};
    case Op::Not:
      return {&not_predicate, &not_predicate};
    default:
      return {};
  }
}

}  // namespace

HandlerPair find_bits(const Opcode& opcode) {
  using ptx::Type;
  switch (opcode.type) {
    case Type::Pred:
      return find_predicate(opcode.op);
    case Type::B16:
    case Type::U16:
      return find_logic<uint16_t>(opcode.op);
    case Type::B32:
    case Type::U32:
      return find_logic<uint32_t>(opcode.op);
    case Type::B64:
    case Type::U64:
      return find_logic<uint64_t>(opcode.op);
    case Type::S16:
      return find_signed<int16_t>(opcode.op);
    case Type::S32:
      return find_signed<int32_t>(opcode.op);
    case Type::S64:
      return find_signed<int64_t>(opcode.op);
    default:
      return {};
  }
}

}  // namespace minitorch::simt::MINITORCH_ISA
