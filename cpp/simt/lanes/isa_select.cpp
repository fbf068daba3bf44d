// Moves and selections in lanes: mov, packing and unpacking of registers, selp, slct.
#include "simt/lanes/floats.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

using ptx::Op;
using ptx::Opcode;
using ptx::Type;

struct Same {
  template <class T>
  static T of(T a) {
    return a;
  }
};

const Step* move_predicate(LaneState& state, const Step* step) {
  set_predicate(state, step->d, mask_row(state, step->a));
  return step + 1;
}

template <class T>
const Step* select_full(LaneState& state, const Step* step) {
  const uint32_t condition = mask_row(state, step->c);
  Row<T>* d = row<T>(state, step->d);
  const Row<T>*a = row<T>(state, step->a), *b = row<T>(state, step->b);
  MINITORCH_LANE_LOOP
  for (uint32_t i = 0; i < kLanes; ++i) d[i] = condition & kLaneBit[i] ? a[i] : b[i];
  return next(state, step);
}
template <class T>
const Step* select_masked(LaneState& state, const Step* step) {
  const uint32_t condition = mask_row(state, step->c);
  Row<T>* d = row<T>(state, step->d);
  const Row<T>*a = row<T>(state, step->a), *b = row<T>(state, step->b);
  MINITORCH_LANE_LOOP
  for (uint32_t i = 0; i < kLanes; ++i) {
    const Row<T> value = condition & kLaneBit[i] ? a[i] : b[i];
    d[i] = state.lanes[i] ? value : d[i];
  }
  return next(state, step);
}

// slct: a where c >= 0 (-0 counts, NaN does not), else b.
struct SelectBySign {
  template <class T>
  static T of(T a, T b, int32_t c) {
    return c >= 0 ? a : b;
  }
};
template <bool kFtz>
struct SelectByFloat {
  template <class T>
  static T of(T a, T b, float c) {
    return flush<kFtz>(c) >= 0.0f ? a : b;
  }
};

template <class T>
HandlerPair find_slct(const Opcode& opcode) {
  if (opcode.source_type != Type::F32)
    return lanewise<SelectBySign, T, T, T, int32_t>();
  return opcode.ftz ? lanewise<SelectByFloat<true>, T, T, T, float>()
                    : lanewise<SelectByFloat<false>, T, T, T, float>();
}

template <class T, class Part>
struct JoinHalves {
  static T of(Part low, Part high) {
    return static_cast<T>(low) | static_cast<T>(high) << (8 * sizeof(Part));
  }
};
struct Join4 {
  static uint64_t of(uint16_t a, uint16_t b, uint16_t c, uint16_t e) {
    return uint64_t{a} | uint64_t{b} << 16 | uint64_t{c} << 32 | uint64_t{e} << 48;
  }
};

// The parts of `a` go to the rows d, d2 and, for four parts, b and c.
template <class T, class Part>
const Step* unpack(LaneState& state, const Step* step) {
  constexpr uint32_t kParts = sizeof(T) / sizeof(Part), kBits = 8 * sizeof(Part);
  const uint32_t to[4] = {step->d, step->d2, step->b, step->c};
  alignas(64) T whole[kLanes];  // a copy: `a` may also be a destination
  const Row<T>* a = row<T>(state, step->a);
  for (uint32_t i = 0; i < kLanes; ++i) whole[i] = static_cast<T>(a[i]);
  for (uint32_t part = 0; part < kParts; ++part) {
    MaskRow* d = row<uint32_t>(state, to[part]);
    MINITORCH_LANE_LOOP
    for (uint32_t i = 0; i < kLanes; ++i) {
      const uint32_t value = static_cast<Part>(whole[i] >> (part * kBits));
      d[i] = state.mask & kLaneBit[i] ? value : d[i];
    }
  }
  return next(state, step);
}

HandlerPair find_halves_of(const Opcode& opcode) {
  const uint32_t bytes = ptx::size_of(opcode.type);
  if (opcode.op == Op::Pack) {
    if (bytes == 4 && opcode.vector == 2) {
      return lanewise<JoinHalves<uint32_t, uint16_t>, uint32_t, uint16_t, uint16_t>();
    }
    if (bytes == 8 && opcode.vector == 2) {
      return lanewise<JoinHalves<uint64_t, uint32_t>, uint64_t, uint32_t, uint32_t>();
    }
    if (bytes == 8 && opcode.vector == 4) {
      return lanewise<Join4, uint64_t, uint16_t, uint16_t, uint16_t, uint16_t>();
    }
    return {};
  }
  if (bytes == 4 && opcode.vector == 2) {
    return {&unpack<uint32_t, uint16_t>, &unpack<uint32_t, uint16_t>};
  }
  if (bytes == 8 && opcode.vector == 2) {
    return {&unpack<uint64_t, uint32_t>, &unpack<uint64_t, uint32_t>};
  }
  if (bytes == 8 && opcode.vector == 4) {
    return {&unpack<uint64_t, uint16_t>, &unpack<uint64_t, uint16_t>};
  }
  return {};
}

}  // namespace

HandlerPair find_select(const Opcode& opcode) {
  const bool wide = ptx::size_of(opcode.type) == 8;
  switch (opcode.op) {
    case Op::Mov:
      if (opcode.type == Type::Pred) return {&move_predicate, &move_predicate};
      return wide ? lanewise<Same, uint64_t, uint64_t>()
                  : lanewise<Same, uint32_t, uint32_t>();
    case Op::Pack:
    case Op::Unpack:
      return find_halves_of(opcode);
    case Op::Selp:
      if (wide) return {&select_full<uint64_t>, &select_masked<uint64_t>};
      return {&select_full<uint32_t>, &select_masked<uint32_t>};
    case Op::Slct:
      return wide ? find_slct<uint64_t>(opcode) : find_slct<uint32_t>(opcode);
    default:
      return {};
  }
}

}  // namespace minitorch::simt::MINITORCH_ISA
