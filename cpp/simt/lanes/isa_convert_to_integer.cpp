// Cvt from f32 and f64 to integers: rounded, saturated, NaN as the ISA says.
#include "simt/lanes/integers.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

using ptx::Op;
using ptx::Opcode;
using ptx::Rounding;
using ptx::Type;

template <class D, class T, Rounding kRounding, bool kFtz>
HandlerPair of() {
  using F = ToInteger<D, T, kRounding, kFtz>;
  if constexpr (sizeof(D) < 4)
    return each_lane<F, Result<D>, T>();
  else
    return lanewise<F, D, T>();
}

template <class D, class T, bool kFtz>
HandlerPair with_rounding(Rounding rounding) {
  switch (rounding) {
    case Rounding::NearestInt:
      return of<D, T, Rounding::NearestInt, kFtz>();
    case Rounding::ZeroInt:
      return of<D, T, Rounding::ZeroInt, kFtz>();
    case Rounding::DownInt:
      return of<D, T, Rounding::DownInt, kFtz>();
    case Rounding::UpInt:
      return of<D, T, Rounding::UpInt, kFtz>();
    default:
      return {};
  }
}

template <class T, bool kFtz>
HandlerPair from(const Opcode& opcode) {
  switch (opcode.type) {
    case Type::U8:
      return with_rounding<uint8_t, T, kFtz>(opcode.rounding);
    case Type::S8:
      return with_rounding<int8_t, T, kFtz>(opcode.rounding);
    case Type::U16:
      return with_rounding<uint16_t, T, kFtz>(opcode.rounding);
    case Type::S16:
      return with_rounding<int16_t, T, kFtz>(opcode.rounding);
    case Type::U32:
      return with_rounding<uint32_t, T, kFtz>(opcode.rounding);
    case Type::S32:
      return with_rounding<int32_t, T, kFtz>(opcode.rounding);
    case Type::U64:
      return with_rounding<uint64_t, T, kFtz>(opcode.rounding);
    case Type::S64:
      return with_rounding<int64_t, T, kFtz>(opcode.rounding);
    default:
      return {};
  }
}

}  // namespace

HandlerPair find_convert_to_integer(const Opcode& opcode) {
  if (opcode.op != Op::Cvt) return {};
  if (opcode.source_type == Type::F64) return from<double, false>(opcode);
  if (opcode.source_type != Type::F32) return {};
  return opcode.ftz ? from<float, true>(opcode) : from<float, false>(opcode);
}

}  // namespace minitorch::simt::MINITORCH_ISA
