// Cvt from and to f16 and bf16 in lanes, pairs of them included.
#include "simt/lanes/halves.h"
#include "simt/lanes/integers.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

using ptx::Op;
using ptx::Opcode;
using ptx::Rounding;
using ptx::Type;

template <class H, class S, Rounding kRounding, bool kFtz, Limit kLimit>
struct Narrow {
  static H of(S a) {
    return limited<H, kLimit>(
        round_to<H, kRounding>(flush < kFtz && sizeof(S) == 4 > (a)));
  }
};
// a goes to the upper half.
template <class H, Rounding kRounding, Limit kLimit>
struct NarrowTwo {
  using One = Narrow<H, float, kRounding, false, kLimit>;
  static uint32_t of(float a, float b) {
    return uint32_t{One::of(a).bits} << 16 | One::of(b).bits;
  }
};

template <class T, class H, bool kFtz, bool kSat>
struct Widen {
  static T of(H a) {
    return finish < kFtz && sizeof(T) == 4, kSat > (static_cast<T>(to_float(a)));
  }
};

// To an integral value of the same type, or to the other 16-bit type.
template <class To, class From, Rounding kRounding, Limit kLimit>
struct Reshape {
  static To of(From a) {
    return limited<To, kLimit>(round_to<To>(to_integral<kRounding>(to_float(a))));
  }
};

template <class To, class From, Rounding kRounding>
struct Rounded {
  static To of(From a) { return round_to<To, kRounding>(to_float(a)); }
};

template <class D, class H, Rounding kRounding>
struct HalfToInteger {
  static Result<D> of(H a) {
    return ToInteger<D, float, kRounding, false>::of(to_float(a));
  }
};

// Integers beyond 53 bits keep a sticky last bit, so that rounding to H is the only
// one.
template <class H, class S, Rounding kRounding, Limit kLimit>
struct IntegerToHalf {
  static H of(S a) {
    const bool negative = a < 0;
    uint64_t magnitude =
        negative ? uint64_t{0} - static_cast<uint64_t>(a) : static_cast<uint64_t>(a);
    if (magnitude >> 53) {
      const uint64_t sticky = magnitude & 0x7ff ? 0x800 : 0;
      magnitude = (magnitude & ~uint64_t{0x7ff}) | sticky;
    }
    const auto value = static_cast<double>(magnitude);
    return limited<H, kLimit>(round_to<H, kRounding>(negative ? -value : value));
  }
};

template <class H, class S, Rounding kRounding>
HandlerPair narrow(const Opcode& opcode) {
  constexpr Limit kNone = Limit::None;
  if (opcode.relu)
    return each_lane<Narrow<H, S, kRounding, false, Limit::Relu>, H, S>();
  if (opcode.sat) {
    return opcode.ftz
               ? each_lane<Narrow<H, S, kRounding, true, Limit::Saturate>, H, S>()
               : each_lane<Narrow<H, S, kRounding, false, Limit::Saturate>, H, S>();
  }
  if (opcode.ftz) return each_lane<Narrow<H, S, kRounding, true, kNone>, H, S>();
  if constexpr (kRounding == Rounding::Nearest) {
    return lanewise<Narrow<H, S, kRounding, false, kNone>, H, S>();
  } else {
    return each_lane<Narrow<H, S, kRounding, false, kNone>, H, S>();
  }
}

template <class H, class S>
HandlerPair narrow_any(const Opcode& opcode) {
  switch (opcode.rounding) {
    case Rounding::Zero:
      return narrow<H, S, Rounding::Zero>(opcode);
    case Rounding::Down:
      return narrow<H, S, Rounding::Down>(opcode);
    case Rounding::Up:
      return narrow<H, S, Rounding::Up>(opcode);
    default:
      return narrow<H, S, Rounding::Nearest>(opcode);
  }
}

template <class H>
HandlerPair narrow_two(const Opcode& opcode) {
  using U = uint32_t;
  if (opcode.source_type != Type::F32 || opcode.sat) return {};
  if (opcode.rounding == Rounding::Zero) {
    return opcode.relu
               ? each_lane<NarrowTwo<H, Rounding::Zero, Limit::Relu>, U, float, float>()
               : each_lane<NarrowTwo<H, Rounding::Zero, Limit::None>, U, float,
                           float>();
  }
  return opcode.relu ? each_lane<NarrowTwo<H, Rounding::Nearest, Limit::Relu>, U, float,
                                 float>()
                     : lanewise<NarrowTwo<H, Rounding::Nearest, Limit::None>, U, float,
                                float>();
}

template <class H, class S>
HandlerPair from_integer(const Opcode& opcode) {
  constexpr Limit kNone = Limit::None;
  if (opcode.sat) {
    return each_lane<IntegerToHalf<H, S, Rounding::Nearest, Limit::Saturate>, H, S>();
  }
  switch (opcode.rounding) {
    case Rounding::Zero:
      return each_lane<IntegerToHalf<H, S, Rounding::Zero, kNone>, H, S>();
    case Rounding::Down:
      return each_lane<IntegerToHalf<H, S, Rounding::Down, kNone>, H, S>();
    case Rounding::Up:
      return each_lane<IntegerToHalf<H, S, Rounding::Up, kNone>, H, S>();
    default:
      return each_lane<IntegerToHalf<H, S, Rounding::Nearest, kNone>, H, S>();
  }
}

template <class H>
HandlerPair to_half(const Opcode& opcode) {
  switch (opcode.source_type) {
    case Type::F32:
      return narrow_any<H, float>(opcode);
    case Type::F64:
      return narrow_any<H, double>(opcode);
    case Type::U8:
      return from_integer<H, uint8_t>(opcode);
    case Type::S8:
      return from_integer<H, int8_t>(opcode);
    case Type::U16:
      return from_integer<H, uint16_t>(opcode);
    case Type::S16:
      return from_integer<H, int16_t>(opcode);
    case Type::U32:
      return from_integer<H, uint32_t>(opcode);
    case Type::S32:
      return from_integer<H, int32_t>(opcode);
    case Type::U64:
      return from_integer<H, uint64_t>(opcode);
    case Type::S64:
      return from_integer<H, int64_t>(opcode);
    default:
      return {};
  }
}

template <class T, class H>
HandlerPair widen(const Opcode& opcode) {
  if (opcode.sat) {
    return opcode.ftz ? each_lane<Widen<T, H, true, true>, T, H>()
                      : each_lane<Widen<T, H, false, true>, T, H>();
  }
  return opcode.ftz ? lanewise<Widen<T, H, true, false>, T, H>()
                    : lanewise<Widen<T, H, false, false>, T, H>();
}

template <class D, class H>
HandlerPair to_integer(Rounding rounding) {
  switch (rounding) {
    case Rounding::NearestInt:
      return each_lane<HalfToInteger<D, H, Rounding::NearestInt>, Result<D>, H>();
    case Rounding::ZeroInt:
      return each_lane<HalfToInteger<D, H, Rounding::ZeroInt>, Result<D>, H>();
    case Rounding::DownInt:
      return each_lane<HalfToInteger<D, H, Rounding::DownInt>, Result<D>, H>();
    case Rounding::UpInt:
      return each_lane<HalfToInteger<D, H, Rounding::UpInt>, Result<D>, H>();
    default:
      return {};
  }
}

template <class To, class From, Rounding kRounding>
HandlerPair reshape_limited(const Opcode& opcode) {
  if (opcode.relu)
    return each_lane<Reshape<To, From, kRounding, Limit::Relu>, To, From>();
  return opcode.sat
             ? each_lane<Reshape<To, From, kRounding, Limit::Saturate>, To, From>()
             : each_lane<Reshape<To, From, kRounding, Limit::None>, To, From>();
}
template <class To, class From>
HandlerPair reround(Rounding rounding) {
  switch (rounding) {
    case Rounding::Zero:
      return each_lane<Rounded<To, From, Rounding::Zero>, To, From>();
    case Rounding::Down:
      return each_lane<Rounded<To, From, Rounding::Down>, To, From>();
    case Rounding::Up:
      return each_lane<Rounded<To, From, Rounding::Up>, To, From>();
    default:
      return {};
  }
}
template <class To, class From>
HandlerPair reshape(const Opcode& opcode) {
  switch (opcode.rounding) {
    case Rounding::NearestInt:
      return reshape_limited<To, From, Rounding::NearestInt>(opcode);
    case Rounding::ZeroInt:
      return reshape_limited<To, From, Rounding::ZeroInt>(opcode);
    case Rounding::DownInt:
      return reshape_limited<To, From, Rounding::DownInt>(opcode);
    case Rounding::UpInt:
      return reshape_limited<To, From, Rounding::UpInt>(opcode);
    case Rounding::None:
    case Rounding::Nearest:
      return reshape_limited<To, From, Rounding::None>(opcode);
    default:
      return opcode.relu || opcode.sat ? HandlerPair{}
                                       : reround<To, From>(opcode.rounding);
  }
}

template <class H>
HandlerPair from_half(const Opcode& opcode) {
  switch (opcode.type) {
    case Type::F32:
      return widen<float, H>(opcode);
    case Type::F64:
      return widen<double, H>(opcode);
    case Type::F16:
      return reshape<Half, H>(opcode);
    case Type::BF16:
      return reshape<Brain, H>(opcode);
    case Type::U8:
      return to_integer<uint8_t, H>(opcode.rounding);
    case Type::S8:
      return to_integer<int8_t, H>(opcode.rounding);
    case Type::U16:
      return to_integer<uint16_t, H>(opcode.rounding);
    case Type::S16:
      return to_integer<int16_t, H>(opcode.rounding);
    case Type::U32:
      return to_integer<uint32_t, H>(opcode.rounding);
    case Type::S32:
      return to_integer<int32_t, H>(opcode.rounding);
    case Type::U64:
      return to_integer<uint64_t, H>(opcode.rounding);
    case Type::S64:
      return to_integer<int64_t, H>(opcode.rounding);
    default:
      return {};
  }
}

}  // namespace

HandlerPair find_convert_half(const Opcode& opcode) {
  if (opcode.op != Op::Cvt) return {};
  if (opcode.source_type == Type::F16) return from_half<Half>(opcode);
  if (opcode.source_type == Type::BF16) return from_half<Brain>(opcode);
  switch (opcode.type) {
    case Type::F16:
      return to_half<Half>(opcode);
    case Type::BF16:
      return to_half<Brain>(opcode);
    case Type::F16x2:
      return narrow_two<Half>(opcode);
    case Type::BF16x2:
      return narrow_two<Brain>(opcode);
    default:
      return {};
  }
}

}  // namespace minitorch::simt::MINITORCH_ISA
