// Integer products in lanes: mul, mad, mul24, mad24.
#include "simt/lanes/wrapping.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

using ptx::Op;
using ptx::Opcode;
using ptx::Part;
using ptx::Type;

template <class T>
struct MulLow {
  static T of(T a, T b) { return static_cast<T>(Bits<T>(a) * Bits<T>(b)); }
};
template <class T>
struct MulHigh {
  static T of(T a, T b) {
    return static_cast<T>((Wide<T>(a) * Wide<T>(b)) >> (8 * sizeof(T)));
  }
};
template <class T>
struct MulWide {
  static Wide<T> of(T a, T b) { return Wide<T>(a) * Wide<T>(b); }
};
template <class T>
struct MadLow {
  static T of(T a, T b, T c) {
    return static_cast<T>(Bits<T>(a) * Bits<T>(b) + Bits<T>(c));
  }
};
template <class T>
struct MadHigh {
  static T of(T a, T b, T c) {
    return static_cast<T>(Bits<T>(MulHigh<T>::of(a, b)) + Bits<T>(c));
  }
};
template <class T>
struct MadWide {
  static Wide<T> of(T a, T b, Wide<T> c) {
    using U = Bits<Wide<T>>;
    return static_cast<Wide<T>>(U(Wide<T>(a) * Wide<T>(b)) + U(c));
  }
};
struct MadHighSaturated {
  static int32_t of(int32_t a, int32_t b, int32_t c) {
    return saturate(int64_t{MulHigh<int32_t>::of(a, b)} + c);
  }
};

// mul24: the 48-bit product of the low 24 bits; .lo is its low, .hi its upper 32 bits.
template <class T>
int64_t product24(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    return int64_t{static_cast<int32_t>(uint32_t(a) << 8) >> 8} *
           (static_cast<int32_t>(uint32_t(b) << 8) >> 8);
  } else {
    return int64_t{a & 0xffffff} * int64_t{b & 0xffffff};
  }
}
template <class T>
struct Mul24Low {
  static T of(T a, T b) { return static_cast<T>(product24(a, b)); }
};
template <class T>
struct Mul24High {
  static T of(T a, T b) { return static_cast<T>(product24(a, b) >> 16); }
};
template <class T>
struct Mad24Low {
  static T of(T a, T b, T c) {
    return static_cast<T>(Bits<T>(Mul24Low<T>::of(a, b)) + Bits<T>(c));
  }
};
template <class T>
struct Mad24High {
  static T of(T a, T b, T c) {
    return static_cast<T>(Bits<T>(Mul24High<T>::of(a, b)) + Bits<T>(c));
  }
};
struct Mad24HighSaturated {
  static int32_t of(int32_t a, int32_t b, int32_t c) {
    return saturate(int64_t{Mul24High<int32_t>::of(a, b)} + c);
  }
};
template <class T>
HandlerPair find_product(const Opcode& opcode) {
  const bool mad = opcode.op == Op::Mad;
  switch (opcode.part) {
    case Part::Low:
      return mad ? lanewise<MadLow<T>, T, T, T, T>() : lanewise<MulLow<T>, T, T, T>();
    case Part::High:
      return mad ? lanewise<MadHigh<T>, T, T, T, T>() : lanewise<MulHigh<T>, T, T, T>();
    case Part::Wide:
      if constexpr (sizeof(T) < 8) {
        return mad ? lanewise<MadWide<T>, Wide<T>, T, T, Wide<T>>()
                   : lanewise<MulWide<T>, Wide<T>, T, T>();
      }
      return {};
    default:
      return {};
  }
}

template <class T>
HandlerPair find_24(const Opcode& opcode) {
  const bool mad = opcode.op == Op::Mad24;
  if (opcode.part == Part::High) {
    return mad ? lanewise<Mad24High<T>, T, T, T, T>()
               : lanewise<Mul24High<T>, T, T, T>();
  }
  return mad ? lanewise<Mad24Low<T>, T, T, T, T>() : lanewise<Mul24Low<T>, T, T, T>();
}

HandlerPair find_saturating(const Opcode& opcode) {
  if (opcode.type != Type::S32 || opcode.part != Part::High) return {};
  return opcode.op == Op::Mad24
             ? lanewise<Mad24HighSaturated, int32_t, int32_t, int32_t, int32_t>()
             : lanewise<MadHighSaturated, int32_t, int32_t, int32_t, int32_t>();
}

}  // namespace

HandlerPair find_product(const Opcode& opcode) {
  const bool is_24 = opcode.op == Op::Mul24 || opcode.op == Op::Mad24;
  if (opcode.op != Op::Mul && opcode.op != Op::Mad && !is_24) return {};
  if (opcode.carry_in || opcode.carry_out) return {};
  if (opcode.sat) return find_saturating(opcode);
  if (is_24) {
    return opcode.type == Type::S32 ? find_24<int32_t>(opcode)
                                    : find_24<uint32_t>(opcode);
  }
  switch (opcode.type) {
    case Type::S16:
      return find_product<int16_t>(opcode);
    case Type::U16:
      return find_product<uint16_t>(opcode);
    case Type::S32:
      return find_product<int32_t>(opcode);
    case Type::U32:
      return find_product<uint32_t>(opcode);
    case Type::S64:
      return find_product<int64_t>(opcode);
    case Type::U64:
      return find_product<uint64_t>(opcode);
    default:
      return {};
  }
}

}  // namespace minitorch::simt::MINITORCH_ISA
