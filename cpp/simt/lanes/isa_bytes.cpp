// Packed bytes in lanes: prmt, dp4a, dp2a, vabsdiff4.
#include "simt/lanes/rows.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

using ptx::Op;
using ptx::Opcode;
using ptx::Part;
using ptx::Permute;

// Selectors for the modes of prmt that take 0..3 in c; each nibble names a byte.
constexpr uint32_t kSelectors[7][4] = {
    {0, 0, 0, 0},
    {0x3210, 0x4321, 0x5432, 0x6543},  // f4e
    {0x5670, 0x6701, 0x7012, 0x0123},  // b4e
    {0x0000, 0x1111, 0x2222, 0x3333},  // rc8
    {0x3210, 0x3211, 0x3222, 0x3333},  // ecl
    {0x0000, 0x1110, 0x2210, 0x3210},  // ecr
    {0x1010, 0x3232, 0x1010, 0x3232},  // rc16
};
template <Permute kMode>
struct PermuteBytes {
  static uint32_t of(uint32_t a, uint32_t b, uint32_t c) {
    const uint64_t both = uint64_t{b} << 32 | a;
    const uint32_t selector =
        kMode == Permute::None ? c : kSelectors[static_cast<int>(kMode)][c & 3];
    uint32_t result = 0;
    for (uint32_t i = 0; i < 4; ++i) {
      const uint32_t nibble = selector >> (4 * i) & 15;
      const auto byte = static_cast<uint32_t>(both >> (8 * (nibble & 7))) & 0xff;
      const uint32_t sign = byte & 0x80 ? 0xff : 0;
      result |= (nibble & 8 ? sign : byte) << (8 * i);
    }
    return result;
  }
};

template <bool kSigned>
int32_t byte_of(uint32_t word, uint32_t i) {
  const uint32_t byte = word >> (8 * i) & 0xff;
  return kSigned ? static_cast<int8_t>(byte) : static_cast<int32_t>(byte);
}
template <bool kSignedA, bool kSignedB>
struct Dot4 {
  static uint32_t of(uint32_t a, uint32_t b, uint32_t c) {
    for (uint32_t i = 0; i < 4; ++i) {
      c += static_cast<uint32_t>(byte_of<kSignedA>(a, i) * byte_of<kSignedB>(b, i));
    }
    return c;
  }
};
template <bool kSignedA, bool kSignedB, bool kHigh>
struct Dot2 {
  static uint32_t of(uint32_t a, uint32_t b, uint32_t c) {
    for (uint32_t i = 0; i < 2; ++i) {
      const uint32_t half = a >> (16 * i) & 0xffff;
      const int32_t wide =
          kSignedA ? static_cast<int16_t>(half) : static_cast<int32_t>(half);
      c += static_cast<uint32_t>(wide * byte_of<kSignedB>(b, i + 2 * kHigh));
    }
    return c;
  }
};
template <bool kSigned>
struct AbsoluteDifference4 {
  static uint32_t at(uint32_t a, uint32_t b, uint32_t i) {
    const int32_t difference = byte_of<kSigned>(a, i) - byte_of<kSigned>(b, i);
    return static_cast<uint32_t>(difference < 0 ? -difference : difference);
  }
  static uint32_t of(uint32_t a, uint32_t b) {
    uint32_t result = 0;
    for (uint32_t i = 0; i < 4; ++i) result |= (at(a, b, i) & 0xff) << (8 * i);
    return result;
  }
};
// .add: their sum, with c.
template <bool kSigned>
struct AbsoluteDifferenceSum4 {
  static uint32_t of(uint32_t a, uint32_t b, uint32_t c) {
    for (uint32_t i = 0; i < 4; ++i) c += AbsoluteDifference4<kSigned>::at(a, b, i);
    return c;
  }
};

using U32 = uint32_t;

HandlerPair find_permute(Permute mode) {
  switch (mode) {
    case Permute::None:
      return lanewise<PermuteBytes<Permute::None>, U32, U32, U32, U32>();
    case Permute::F4e:
      return lanewise<PermuteBytes<Permute::F4e>, U32, U32, U32, U32>();
    case Permute::B4e:
      return lanewise<PermuteBytes<Permute::B4e>, U32, U32, U32, U32>();
    case Permute::Rc8:
      return lanewise<PermuteBytes<Permute::Rc8>, U32, U32, U32, U32>();
    case Permute::Ecl:
      return lanewise<PermuteBytes<Permute::Ecl>, U32, U32, U32, U32>();
    case Permute::Ecr:
      return lanewise<PermuteBytes<Permute::Ecr>, U32, U32, U32, U32>();
    case Permute::Rc16:
      return lanewise<PermuteBytes<Permute::Rc16>, U32, U32, U32, U32>();
  }
  return {};
}

template <bool kA, bool kB>
HandlerPair find_dot(const Opcode& opcode) {
  if (opcode.op == Op::Dp4a) return lanewise<Dot4<kA, kB>, U32, U32, U32, U32>();
  return opcode.part == Part::High
             ? lanewise<Dot2<kA, kB, true>, U32, U32, U32, U32>()
             : lanewise<Dot2<kA, kB, false>, U32, U32, U32, U32>();
}

}  // namespace

HandlerPair find_bytes(const Opcode& opcode) {
  const bool signed_a = ptx::is_signed(opcode.type);
  const bool signed_b = ptx::is_signed(opcode.source_type);
  switch (opcode.op) {
    case Op::Prmt:
      return find_permute(opcode.permute);
    case Op::Dp4a:
    case Op::Dp2a:
      if (signed_a) {
        return signed_b ? find_dot<true, true>(opcode) : find_dot<true, false>(opcode);
      }
      return signed_b ? find_dot<false, true>(opcode) : find_dot<false, false>(opcode);
    case Op::Vabsdiff4:
      if (opcode.sum) {
        return signed_b ? lanewise<AbsoluteDifferenceSum4<true>, U32, U32, U32, U32>()
                        : lanewise<AbsoluteDifferenceSum4<false>, U32, U32, U32, U32>();
      }
      return signed_b ? lanewise<AbsoluteDifference4<true>, U32, U32, U32>()
                      : lanewise<AbsoluteDifference4<false>, U32, U32, U32>();
    default:
      return {};
  }
}

}  // namespace minitorch::simt::MINITORCH_ISA
