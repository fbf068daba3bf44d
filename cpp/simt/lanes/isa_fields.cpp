// Bit fields and counts in lanes: lop3, shf, bfe, bfi, bfind, brev, clz, popc, fns,
// szext, bmsk (packed bytes: isa_bytes.cpp).
#include "simt/lanes/rows.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

using ptx::Op;
using ptx::Opcode;
using ptx::Type;

// Bit (a << 2 | b << 1 | c) of the table is the result for those three bits.
struct Lop3 {
  static uint32_t of(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
    uint32_t result = 0;
    for (uint32_t k = 0; k < 8; ++k) {
      const uint32_t chosen = 0u - (table >> k & 1);
      result |= chosen & (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
    }
    return result;
  }
};

template <bool kLeft, bool kWrap>
struct FunnelShift {
  static uint32_t of(uint32_t a, uint32_t b, uint32_t c) {
    const uint64_t both = uint64_t{b} << 32 | a;
    const uint32_t by = kWrap ? c & 31 : c < 32 ? c : 32;
    return static_cast<uint32_t>(kLeft ? both << by >> 32 : both >> by);
  }
};

// The low `count` bits set, for any count.
template <class T>
T low_bits(uint32_t count) {
  constexpr uint32_t kWidth = 8 * sizeof(T);
  return count < kWidth ? static_cast<T>((T{1} << (count & (kWidth - 1))) - 1)
                        : static_cast<T>(~T{0});
}

// The field's missing bits (past the register's end, or past its length) are copies of
// its last bit for signed types, else 0.
template <class T>
struct ExtractField {
  using U = std::make_unsigned_t<T>;
  static T of(T a, uint32_t b, uint32_t c) {
    constexpr uint32_t kWidth = 8 * sizeof(T);
    const uint32_t position = b & 0xff, length = c & 0xff;
    const uint32_t last =
        position + length - 1 < kWidth - 1 ? position + length - 1 : kWidth - 1;
    const U field = position < kWidth ? U(a) >> (position & (kWidth - 1)) : U{0};
    const uint32_t present = position < kWidth ? last - position + 1 : 0;
    const U bits = field & low_bits<U>(length == 0 ? 0 : present);
    const bool sign = std::is_signed_v<T> && length != 0 && (U(a) >> last & 1);
    return static_cast<T>(bits | (sign ? static_cast<U>(~low_bits<U>(present)) : U{0}));
  }
};

template <class T>
struct InsertField {
  static T of(T a, T b, uint32_t c, uint32_t length) {
    constexpr uint32_t kWidth = 8 * sizeof(T);
    const uint32_t position = c & 0xff;
    if (position >= kWidth) return b;
    const T field = static_cast<T>(low_bits<T>(length & 0xff) << position);
    return (b & ~field) | (static_cast<T>(a << position) & field);
  }
};

template <class U>
int leading_zeros(U a) {
  if constexpr (sizeof(U) == 8)
    return __builtin_clzll(a);
  else
    return __builtin_clz(a);
}

template <class T, bool kShiftAmount>
struct FindBit {
  static uint32_t of(T a) {
    using U = std::make_unsigned_t<T>;
    const U bits = a < 0 ? static_cast<U>(~a) : static_cast<U>(a);
    if (bits == 0) return ~0u;
    const auto zeros = static_cast<uint32_t>(leading_zeros(bits));
    return kShiftAmount ? zeros : 8 * sizeof(T) - 1 - zeros;
  }
};
template <class T>
struct CountLeadingZeros {
  static uint32_t of(T a) {
    return a == 0 ? 8 * sizeof(T) : static_cast<uint32_t>(leading_zeros(a));
  }
};
template <class T>
struct CountBits {
  static uint32_t of(T a) { return static_cast<uint32_t>(__builtin_popcountll(a)); }
};
struct CountBits32 {
  static uint32_t of(uint32_t a) {
    a -= a >> 1 & 0x55555555u;
    a = (a & 0x33333333u) + (a >> 2 & 0x33333333u);
    return ((a + (a >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
  }
};
template <class T>
struct ReverseBits {
  static T of(T a) {
    constexpr T kOnes = static_cast<T>(~T{0});
    a = (a >> 1 & kOnes / 3) | (a & kOnes / 3) << 1;
    a = (a >> 2 & kOnes / 5) | (a & kOnes / 5) << 2;
    a = (a >> 4 & kOnes / 17) | (a & kOnes / 17) << 4;
    if constexpr (sizeof(T) == 8)
      return __builtin_bswap64(a);
    else
      return __builtin_bswap32(a);
  }
};

// The position of the |offset|-th set bit at or after (before) `base`; all ones if
// none.
struct FindNthSet {
  static uint32_t of(uint32_t mask, uint32_t base, int32_t offset) {
    if (offset == 0) return base < 32 && (mask >> base & 1) ? base : ~0u;
    const int step = offset > 0 ? 1 : -1;
    uint32_t left = offset > 0 ? uint32_t(offset) : 0u - uint32_t(offset);
    for (int64_t at = base; at >= 0 && at < 32; at += step) {
      if ((mask >> at & 1) && --left == 0) return static_cast<uint32_t>(at);
    }
    return ~0u;
  }
};

template <bool kWrap>
uint32_t width_of(uint32_t value) {
  return kWrap ? value & 31 : value < 32 ? value : 32;
}
template <class T, bool kWrap>
struct Extend {
  static T of(T a, uint32_t b) {
    const uint32_t width = width_of<kWrap>(b),
                   kept = uint32_t(a) & low_bits<uint32_t>(width);
    const bool sign =
        std::is_signed_v<T> && width > 0 && (kept >> ((width - 1) & 31) & 1);
    return static_cast<T>(kept | (sign ? ~low_bits<uint32_t>(width) : 0u));
  }
};
template <bool kWrap>
struct BitMask {
  static uint32_t of(uint32_t a, uint32_t b) {
    const uint64_t ones = (uint64_t{1} << width_of<kWrap>(b)) - 1;
    return static_cast<uint32_t>(ones << width_of<kWrap>(a));
  }
};

using U32 = uint32_t;

template <class T>
HandlerPair find_unsigned(const Opcode& opcode) {
  switch (opcode.op) {
    case Op::Bfi:
      return lanewise<InsertField<T>, T, T, T, U32, U32>();
    case Op::Brev:
      return lanewise<ReverseBits<T>, T, T>();
    case Op::Clz:
      return lanewise<CountLeadingZeros<T>, U32, T>();
    case Op::Popc:
      if constexpr (sizeof(T) == 4)
        return lanewise<CountBits32, U32, U32>();
      else
        return lanewise<CountBits<T>, U32, T>();
    default:
      return {};
  }
}

template <class T>
HandlerPair find_field(const Opcode& opcode) {
  if (opcode.op == Op::Bfe) return lanewise<ExtractField<T>, T, T, U32, U32>();
  if (opcode.op != Op::Bfind) return find_unsigned<std::make_unsigned_t<T>>(opcode);
  return opcode.full ? lanewise<FindBit<T, true>, U32, T>()
                     : lanewise<FindBit<T, false>, U32, T>();
}

template <bool kWrap>
HandlerPair find_width(const Opcode& opcode) {
  if (opcode.op == Op::Bmsk) return lanewise<BitMask<kWrap>, U32, U32, U32>();
  return opcode.type == Type::S32
             ? lanewise<Extend<int32_t, kWrap>, int32_t, int32_t, U32>()
             : lanewise<Extend<U32, kWrap>, U32, U32, U32>();
}

template <bool kLeft>
HandlerPair find_funnel(bool wrap) {
  return wrap ? lanewise<FunnelShift<kLeft, true>, U32, U32, U32, U32>()
              : lanewise<FunnelShift<kLeft, false>, U32, U32, U32, U32>();
}

}  // namespace

HandlerPair find_fields(const Opcode& opcode) {
  switch (opcode.op) {
    case Op::Lop3:
      return lanewise<Lop3, U32, U32, U32, U32, U32>();
    case Op::Shf:
      return opcode.left ? find_funnel<true>(opcode.wrap)
                         : find_funnel<false>(opcode.wrap);
    case Op::Fns:
      return each_lane<FindNthSet, U32, U32, U32, int32_t>();
    case Op::Szext:
    case Op::Bmsk:
      return opcode.wrap ? find_width<true>(opcode) : find_width<false>(opcode);
    default:
      break;
  }
  switch (opcode.type) {
    case Type::S32:
      return find_field<int32_t>(opcode);
    case Type::U32:
    case Type::B32:
      return find_field<uint32_t>(opcode);
    case Type::S64:
      return find_field<int64_t>(opcode);
    case Type::U64:
    case Type::B64:
      return find_field<uint64_t>(opcode);
    default:
      return {};
  }
}

}  // namespace minitorch::simt::MINITORCH_ISA