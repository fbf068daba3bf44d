// Sets of operand types, a bit each, as the tables of forms write them.
#pragma once

#include <cstdint>

#include "ptx/opcode.h"

namespace minitorch::ptx {

template <class... Types>
constexpr uint32_t types(Types... type) {
  return ((1u << static_cast<int>(type)) | ... | 0u);
}

constexpr bool holds(uint32_t set, Type type) {
  return ((set >> static_cast<int>(type)) & 1u) != 0;
}

// Named as in PTX; kInt, kSigned, kBits, kF, kHalf and the pairs are kinds of types.
inline constexpr uint32_t kPred = types(Type::Pred), kB8 = types(Type::B8),
                          kB32 = types(Type::B32), kB64 = types(Type::B64),
                          kU32 = types(Type::U32), kU64 = types(Type::U64),
                          kS32 = types(Type::S32), kF32 = types(Type::F32),
                          kI8 = types(Type::U8, Type::S8),
                          kI16 = types(Type::U16, Type::S16),
                          kI32 = types(Type::U32, Type::S32),
                          kI64 = types(Type::U64, Type::S64), kInt = kI16 | kI32 | kI64,
                          kSigned = types(Type::S16, Type::S32, Type::S64),
                          kBits = types(Type::B16, Type::B32, Type::B64),
                          kF = types(Type::F32, Type::F64), kTF32 = types(Type::TF32),
                          kI4 = types(Type::U4, Type::S4),
                          kIntPair = types(Type::U16x2, Type::S16x2),
                          kHalf =
                              types(Type::F16, Type::F16x2, Type::BF16, Type::BF16x2),
                          kF16 = types(Type::F16), kBF16 = types(Type::BF16),
                          kF64 = types(Type::F64), kB1 = types(Type::B1);

}  // namespace minitorch::ptx
