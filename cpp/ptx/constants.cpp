#include "ptx/constants.h"

#include <bit>

#include "base/text.h"
#include "ptx/decode.h"

namespace minitorch::ptx {

using syntax::Constant;

uint64_t bits_of(const Constant& constant, Type type, syntax::Place place) {
  const uint64_t bits = constant.bits;
  if (type == Type::Pred) return bits != 0;
  if (constant.form == Constant::Form::Integer) {
    if (type == Type::F32)
      return std::bit_cast<uint32_t>(static_cast<float>(static_cast<int64_t>(bits)));
    if (type == Type::F64)
      return std::bit_cast<uint64_t>(static_cast<double>(static_cast<int64_t>(bits)));
    const uint32_t size = size_of(type);
    return size == 0 || size >= 8 ? bits : bits & ((uint64_t{1} << (8 * size)) - 1);
  }
  const bool single = constant.form == Constant::Form::Single;
  switch (size_of(type)) {
    case 8:
      return single ? std::bit_cast<uint64_t>(static_cast<double>(
                          std::bit_cast<float>(static_cast<uint32_t>(bits))))
                    : bits;
    case 4:
      return single ? bits
                    : std::bit_cast<uint32_t>(
                          static_cast<float>(std::bit_cast<double>(bits)));
    default:
      throw PtxError(place.line, place.column,
                     base::text("got a float literal for type ", type_name(type),
                                "; need its bits as an integer."),
                     false);
  }
}

}  // namespace minitorch::ptx
