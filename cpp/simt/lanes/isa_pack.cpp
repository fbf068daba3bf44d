// Conversions that cut bits off in lanes: cvt.pack and cvt to tf32.
#include "simt/lanes/floats.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

using ptx::Op;
using ptx::Opcode;
using ptx::Rounding;
using ptx::Type;

// a and b saturated to kBits each, a above b; what c has lies above both.
template <int kBits, bool kSigned>
struct PackSaturated {
  static uint32_t limited(int32_t value) {
    constexpr int64_t kHigh = (int64_t{1} << (kBits - kSigned)) - 1;
    constexpr int64_t kLow = kSigned ? -kHigh - 1 : 0;
    const int64_t wide = value;
    const int64_t kept = wide < kLow ? kLow : wide > kHigh ? kHigh : wide;
    return static_cast<uint32_t>(kept) & ((1u << kBits) - 1);
  }
  static uint32_t of(int32_t a, int32_t b) { return limited(a) << kBits | limited(b); }
  static uint32_t of(int32_t a, int32_t b, uint32_t c) {
    const uint64_t above = uint64_t{c} << (2 * kBits);
    return static_cast<uint32_t>(above) | of(a, b);
  }
};

template <int kBits, bool kSigned>
HandlerPair pack() {
  using F = PackSaturated<kBits, kSigned>;
  if constexpr (kBits == 16) return lanewise<F, uint32_t, int32_t, int32_t>();
  return lanewise<F, uint32_t, int32_t, int32_t, uint32_t>();
}

HandlerPair find_packed(Type type) {
  switch (type) {
    case Type::U16:
      return pack<16, false>();
    case Type::S16:
      return pack<16, true>();
    case Type::U8:
      return pack<8, false>();
    case Type::S8:
      return pack<8, true>();
    case Type::U4:
      return pack<4, false>();
    case Type::S4:
      return pack<4, true>();
    default:
      return {};
  }
}

// An f32 whose last 13 bits of fraction are zero.
template <Rounding kRounding, bool kRelu>
struct ToTf32 {
  static uint32_t of(float a) {
    const uint32_t bits = bits_of(a);
    const uint32_t odd = bits >> 13 & 1;
    const uint32_t add = kRounding == Rounding::NearestAway ? 0x1000u
                         : kRounding == Rounding::Nearest   ? 0xfffu + odd
                                                            : 0u;
    const bool finite = (bits & 0x7f800000u) != 0x7f800000u;
    const uint32_t rounded = (bits + (finite ? add : 0)) & ~0x1fffu;
    if (a != a) return FloatBits<float>::kNan;
    return kRelu && bits >> 31 ? 0 : rounded;
  }
};

template <bool kRelu>
HandlerPair find_tf32(Rounding rounding) {
  switch (rounding) {
    case Rounding::NearestAway:
      return lanewise<ToTf32<Rounding::NearestAway, kRelu>, uint32_t, float>();
    case Rounding::Nearest:
      return lanewise<ToTf32<Rounding::Nearest, kRelu>, uint32_t, float>();
    case Rounding::Zero:
      return lanewise<ToTf32<Rounding::Zero, kRelu>, uint32_t, float>();
    default:
      return {};
  }
}

}  // namespace

HandlerPair find_pack(const Opcode& opcode) {
  if (opcode.op == Op::CvtPack) {
    if (!opcode.sat) return {};
    return find_packed(opcode.type);
  }
  const bool tf32 = opcode.op == Op::Cvt && opcode.type == Type::TF32;
  if (!tf32 || opcode.source_type != Type::F32 || opcode.ftz || opcode.sat) return {};
  return opcode.relu ? find_tf32<true>(opcode.rounding)
                     : find_tf32<false>(opcode.rounding);
}

}  // namespace minitorch::simt::MINITORCH_ISA
