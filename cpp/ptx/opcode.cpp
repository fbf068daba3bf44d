#include "ptx/opcode.h"

#include <iterator>

#include "base/enumerators.h"

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

namespace {

struct TypeName {
  Type type;
  const char* name;
};
constexpr TypeName kTypeNames[] = {
    {Type::None, "none"},     {Type::Pred, "pred"},   {Type::B8, "b8"},
    {Type::B16, "b16"},       {Type::B32, "b32"},     {Type::B64, "b64"},
    {Type::B128, "b128"},     {Type::U8, "u8"},       {Type::U16, "u16"},
    {Type::U32, "u32"},       {Type::U64, "u64"},     {Type::S8, "s8"},
    {Type::S16, "s16"},       {Type::S32, "s32"},     {Type::S64, "s64"},
    {Type::F16, "f16"},       {Type::F16x2, "f16x2"}, {Type::BF16, "bf16"},
    {Type::BF16x2, "bf16x2"}, {Type::F32, "f32"},     {Type::F64, "f64"},
    {Type::TF32, "tf32"},     {Type::B1, "b1"},       {Type::U4, "u4"},
    {Type::S4, "s4"},         {Type::U16x2, "u16x2"}, {Type::S16x2, "s16x2"},
};
static_assert(base::rows_follow_enumerators<kTypeNames>([](const TypeName& row) {
  return row.type;
}));
static_assert(std::size(kTypeNames) == kTypes);

}  // namespace

const char* type_name(Type type) { return kTypeNames[static_cast<int>(type)].name; }

}  // namespace minitorch::ptx
