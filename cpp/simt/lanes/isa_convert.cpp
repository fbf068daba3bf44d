// Cvt between integers, and cvt between f32 and f64 and from integers to them (to
// integers: isa_convert_to_integer.cpp; half types: isa_convert_half.cpp).
#include "simt/lanes/integers.h"
#include "simt/lanes/rounding.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

using ptx::Op;
using ptx::Opcode;
using ptx::Rounding;
using ptx::Type;

template <class D, class S>
struct Resize {
  static Result<D> of(S a) { return static_cast<D>(a); }
};

template <class D, class S>
struct Clamp {
  static constexpr uint64_t kMaximum = ~uint64_t{0} >>
                                       (64 - 8 * sizeof(D) + std::is_signed_v<D>);
  static Result<D> of(S a) {
    if constexpr (std::is_signed_v<S>) {
      constexpr int64_t kMinimum =
          std::is_signed_v<D> ? -static_cast<int64_t>(kMaximum) - 1 : 0;
      if (a < kMinimum) return static_cast<D>(kMinimum);
      if (a < 0) return static_cast<D>(a);
    }
    return static_cast<D>(uint64_t(a) > kMaximum ? kMaximum : uint64_t(a));
  }
};

template <class T, class S, bool kSat>
struct FromInteger {
  static T of(S a) { return saturate<kSat>(static_cast<T>(a)); }
};

// Between floats; a rounding to an integral value comes before the change of type.
template <class T, class S, Rounding kIntegral, bool kFtz, bool kSat>
struct FromFloat {
  static constexpr bool kFlushTo = kFtz && sizeof(T) == 4;
  static constexpr bool kFlushFrom = kFtz && sizeof(S) == 4;
  static T of(S a) {
    const S value = to_integral<kIntegral>(flush<kFlushFrom>(a));
    return finish<kFlushTo, kSat>(static_cast<T>(value));
  }
};

template <class D, class S>
HandlerPair integer_to_integer(bool sat) {
  if (sat) return each_lane<Clamp<D, S>, Result<D>, S>();
  if constexpr (std::is_signed_v<D> && sizeof(D) > 1) {
    using U = std::make_unsigned_t<D>;
    return lanewise<Resize<U, S>, U, S>();
  } else {
    return lanewise<Resize<D, S>, Result<D>, S>();
  }
}

template <class T, class S>
HandlerPair integer_to_float(const Opcode& opcode) {
  if (opcode.sat) return each_lane<FromInteger<T, S, true>, T, S>();
  return lanewise_rounded<FromInteger<T, S, false>, T, S>(opcode.rounding);
}

template <class S>
HandlerPair from_integer(const Opcode& opcode) {
  switch (opcode.type) {
    case Type::U8:
      return integer_to_integer<uint8_t, S>(opcode.sat);
    case Type::S8:
      return integer_to_integer<int8_t, S>(opcode.sat);
    case Type::U16:
      return integer_to_integer<uint16_t, S>(opcode.sat);
    case Type::S16:
      return integer_to_integer<int16_t, S>(opcode.sat);
    case Type::U32:
      return integer_to_integer<uint32_t, S>(opcode.sat);
    case Type::S32:
      return integer_to_integer<int32_t, S>(opcode.sat);
    case Type::U64:
      return integer_to_integer<uint64_t, S>(opcode.sat);
    case Type::S64:
      return integer_to_integer<int64_t, S>(opcode.sat);
    case Type::F32:
      return integer_to_float<float, S>(opcode);
    case Type::F64:
      return integer_to_float<double, S>(opcode);
    default:
      return {};
  }
}

template <class T, class S, Rounding kIntegral>
HandlerPair float_to_float(const Opcode& opcode) {
  if (opcode.ftz && opcode.sat) {
    return lanewise_rounded<FromFloat<T, S, kIntegral, true, true>, T, S>(
        opcode.rounding);
  }
  if (opcode.ftz) {
    return lanewise_rounded<FromFloat<T, S, kIntegral, true, false>, T, S>(
        opcode.rounding);
  }
  if (opcode.sat) {
    return lanewise_rounded<FromFloat<T, S, kIntegral, false, true>, T, S>(
        opcode.rounding);
  }
  return lanewise_rounded<FromFloat<T, S, kIntegral, false, false>, T, S>(
      opcode.rounding);
}

// Same type in and out: only to an integral value, flushed or saturated.
template <class T>
HandlerPair integral(const Opcode& opcode) {
  switch (opcode.rounding) {
    case Rounding::NearestInt:
      return float_to_float<T, T, Rounding::NearestInt>(opcode);
    case Rounding::ZeroInt:
      return float_to_float<T, T, Rounding::ZeroInt>(opcode);
    case Rounding::DownInt:
      return float_to_float<T, T, Rounding::DownInt>(opcode);
    case Rounding::UpInt:
      return float_to_float<T, T, Rounding::UpInt>(opcode);
    default:
      return float_to_float<T, T, Rounding::None>(opcode);
  }
}

}  // namespace

HandlerPair find_convert(const Opcode& opcode) {
  if (opcode.op != Op::Cvt) return {};
  switch (opcode.source_type) {
    case Type::U8:
      return from_integer<uint8_t>(opcode);
    case Type::S8:
      return from_integer<int8_t>(opcode);
    case Type::U16:
      return from_integer<uint16_t>(opcode);
    case Type::S16:
      return from_integer<int16_t>(opcode);
    case Type::U32:
      return from_integer<uint32_t>(opcode);
    case Type::S32:
      return from_integer<int32_t>(opcode);
    case Type::U64:
      return from_integer<uint64_t>(opcode);
    case Type::S64:
      return from_integer<int64_t>(opcode);
    case Type::F32:
      if (opcode.type == Type::F32) return integral<float>(opcode);
      if (opcode.type != Type::F64) return {};
      return float_to_float<double, float, Rounding::None>(opcode);
    case Type::F64:
      if (opcode.type == Type::F64) return integral<double>(opcode);
      if (opcode.type != Type::F32) return {};
      return float_to_float<float, double, Rounding::None>(opcode);
    default:
      return {};
  }
}

}  // namespace minitorch::simt::MINITORCH_ISA
