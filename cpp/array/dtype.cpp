#include "array/dtype.h"

#include "base/enumerators.h"
#include "base/error.h"
#include "base/text.h"

namespace minitorch::array {
namespace {

struct Row {
  Dtype dtype;
  const char* name;
  size_t bytes;
};

constexpr Row kRows[] = {
    {Dtype::Float32, "float32", 4}, {Dtype::Float64, "float64", 8},
    {Dtype::Float16, "float16", 2}, {Dtype::BFloat16, "bfloat16", 2},
    {Dtype::Int32, "int32", 4},     {Dtype::Int64, "int64", 8},
    {Dtype::UInt8, "uint8", 1},     {Dtype::Bool, "bool", 1}};
static_assert(base::rows_follow_enumerators<kRows>([](const Row& row) {
  return row.dtype;
}));

int integer_rank(Dtype dtype) {
  switch (dtype) {
    case Dtype::Bool:
      return 0;
    case Dtype::UInt8:
      return 1;
    case Dtype::Int32:
      return 2;
    default:
      return 3;
  }
}

}  // namespace

size_t size_of(Dtype dtype) { return kRows[static_cast<size_t>(dtype)].bytes; }

const char* dtype_name(Dtype dtype) { return kRows[static_cast<size_t>(dtype)].name; }

const char* device_name(Device device) {
  return device == Device::Cpu ? "cpu" : "cuda";
}

bool is_floating(Dtype dtype) { return dtype <= Dtype::BFloat16; }

bool is_half(Dtype dtype) {
  return dtype == Dtype::Float16 || dtype == Dtype::BFloat16;
}

Dtype parse_dtype(const std::string& name) {
  for (const Row& row : kRows) {
    if (name == row.name) return row.dtype;
  }
  throw base::TypeError("dtype",
                        base::text("got '", name,
                                   "'; need float32, float64, float16, bfloat16, "
                                   "int32, int64, uint8 or bool."));
}

Device parse_device(const std::string& name) {
  if (name == "cpu") return Device::Cpu;
  if (name == "cuda" || name == "cuda:0") return Device::Cuda;
  throw base::ValueError("device",
                         base::text("got '", name, "'; need 'cpu' or 'cuda'."));
}

Dtype promote(Dtype a, Dtype b) {
  if (a == b) return a;
  if (is_floating(a) && is_floating(b)) {
    if (size_of(a) == size_of(b)) return Dtype::Float32;  // float16 and bfloat16
    return size_of(a) > size_of(b) ? a : b;
  }
  if (!is_floating(a) && !is_floating(b))
    return integer_rank(a) > integer_rank(b) ? a : b;
  Dtype real = is_floating(a) ? a : b;
  int rank = integer_rank(is_floating(a) ? b : a);
  // A float must hold every integer it meets, or the result is the widest float.
  return rank < 2 ? real : Dtype::Float64;
}

}  // namespace minitorch::array
