// Owns the properties of PTX types; must not know instructions or operands.
#include "ptx/opcode.h"

namespace minitorch::ptx {

uint32_t size_of(Type type) {
  switch (type) {
    case Type::None:
    case Type::Pred:
    case Type::B1:
    case Type::U4:
    case Type::S4:
      return 0;
    case Type::B8:
    case Type::U8:
    case Type::S8:
      return 1;
    case Type::B16:
    case Type::U16:
    case Type::S16:
    case Type::F16:
    case Type::BF16:
      return 2;
    case Type::B32:
    case Type::U32:
    case Type::S32:
    case Type::F32:
    case Type::F16x2:
    case Type::BF16x2:
    case Type::TF32:
    case Type::U16x2:
    case Type::S16x2:
      return 4;
    case Type::B64:
    case Type::U64:
    case Type::S64:
    case Type::F64:
      return 8;
    case Type::B128:
      return 16;
  }
  return 0;
}

bool is_float(Type type) { return type >= Type::F16 && type <= Type::TF32; }

bool is_signed(Type type) {
  return (type >= Type::S8 && type <= Type::S64) || type == Type::S4 ||
         type == Type::S16x2;
}

const char* type_name(Type type) {
  static constexpr const char* kNames[] = {
      "none",   "pred", "b8",  "b16",  "b32", "b64", "b128", "u8",    "u16",
      "u32",    "u64",  "s8",  "s16",  "s32", "s64", "f16",  "f16x2", "bf16",
      "bf16x2", "f32",  "f64", "tf32", "b1",  "u4",  "s4",   "u16x2", "s16x2"};
  return kNames[static_cast<int>(type)];
}

}  // namespace minitorch::ptx
