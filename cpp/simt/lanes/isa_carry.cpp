// The carry chains in lanes: add.cc, addc, sub.cc, subc, mad.cc, madc. The carry flag
// is a predicate row: read from `e`, written to `d2`; for sub it means borrow.
#include "simt/lanes/rows.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

using ptx::Op;
using ptx::Opcode;
using ptx::Part;
using ptx::Type;

template <class T>
struct Sum {
  T value;
  bool carry;
};

template <class T>
Sum<T> add(T a, T b, bool carry) {
  const T partial = static_cast<T>(a + b), value = static_cast<T>(partial + carry);
  return {value, partial < a || value < partial};
}

struct Add {
  template <class T>
  static Sum<T> of(T a, T b, T, bool carry) {
    return add(a, b, carry);
  }
};
struct Sub {
  template <class T>
  static Sum<T> of(T a, T b, T, bool borrow) {
    return {static_cast<T>(a - b - borrow), a < b || (a == b && borrow)};
  }
};
struct CarryMadLow {
  template <class T>
  static Sum<T> of(T a, T b, T c, bool carry) {
    return add(static_cast<T>(a * b), c, carry);
  }
};
template <class Wide, class Signed>
struct CarryMadHigh {
  template <class T>
  static Sum<T> of(T a, T b, T c, bool carry) {
    const Wide product = Wide(Signed(a)) * Wide(Signed(b));
    return add(static_cast<T>(product >> (8 * sizeof(T))), c, carry);
  }
};

template <class F, class T, bool kIn, bool kOut>
const Step* chain(LaneState& state, const Step* step) {
  Row<T>* d = row<T>(state, step->d);
  const Row<T>*a = row<T>(state, step->a), *b = row<T>(state, step->b);
  const Row<T>* c = row<T>(state, step->c);
  const uint32_t carries = kIn ? mask_row(state, step->e) : 0, mask = state.mask;
  alignas(64) uint32_t out[kLanes];
  MINITORCH_LANE_LOOP
  for (uint32_t i = 0; i < kLanes; ++i) {
    const Sum<T> sum = F::of(T{a[i]}, T{b[i]}, T{c[i]}, (carries & kLaneBit[i]) != 0);
    d[i] = mask & kLaneBit[i] ? sum.value : d[i];
    out[i] = sum.carry ? ~0u : 0u;
  }
  if (kOut) set_predicate(state, step->d2, gather_bits(out));
  return next(state, step);
}

template <class F, class T>
HandlerPair flags(const Opcode& opcode) {
  Handler handler = nullptr;
  if (opcode.carry_in && opcode.carry_out)
    handler = &chain<F, T, true, true>;
  else if (opcode.carry_in)
    handler = &chain<F, T, true, false>;
  else
    handler = &chain<F, T, false, true>;
  return {handler, handler};
}

template <class T, class Signed, class Wide, class SignedWide>
HandlerPair find_carried(const Opcode& opcode, bool is_signed) {
  switch (opcode.op) {
    case Op::Add:
      return flags<Add, T>(opcode);
    case Op::Sub:
      return flags<Sub, T>(opcode);
    case Op::Mad:
      if (opcode.part == Part::Low) return flags<CarryMadLow, T>(opcode);
      if (opcode.part != Part::High) return {};
      return is_signed ? flags<CarryMadHigh<SignedWide, Signed>, T>(opcode)
                       : flags<CarryMadHigh<Wide, T>, T>(opcode);
    default:
      return {};
  }
}

}  // namespace

HandlerPair find_carry(const Opcode& opcode) {
  if (!opcode.carry_in && !opcode.carry_out) return {};
  const bool is_signed = opcode.type == Type::S32 || opcode.type == Type::S64;
  if (ptx::size_of(opcode.type) == 8) {
    return find_carried<uint64_t, int64_t, unsigned __int128, __int128>(opcode,
                                                                        is_signed);
  }
  return find_carried<uint32_t, int32_t, uint64_t, int64_t>(opcode, is_signed);
}

}  // namespace minitorch::simt::MINITORCH_ISA
