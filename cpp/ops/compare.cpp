// Owns the comparisons on both devices.
#include "ops/compare.h"

#include "base/enumerators.h"
#include "ops/create.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/layout.h"

namespace minitorch::ops {
namespace {

using cpu::Compare;

struct CompareRow {
  Compare op;
  const char* name;
  const char* code;
};

constexpr CompareRow kCompareRows[] = {
    {Compare::Less, "lt", "return a < b;"},
    {Compare::LessEqual, "le", "return a <= b;"},
    {Compare::Greater, "gt", "return a > b;"},
    {Compare::GreaterEqual, "ge", "return a >= b;"},
    {Compare::Equal, "eq", "return a == b;"},
    {Compare::NotEqual, "ne", "return a != b;"},
};

static_assert(base::rows_follow_enumerators<kCompareRows>([](const CompareRow& row) {
  return row.op;
}));

/// The dtype in which both sides are compared: 16-bit floats are exact in float32,
/// truth values as bytes.
Dtype comparable(Dtype a, Dtype b) {
  const Dtype dtype = promote(a, b);
  if (is_half(dtype)) return Dtype::Float32;
  return dtype == Dtype::Bool ? Dtype::UInt8 : dtype;
}

}  // namespace

Array compare(Compare op, const Array& a, const Array& b) {
  const CompareRow& row = kCompareRows[static_cast<size_t>(op)];
  require_one_device(row.name, a, b);
  const Dtype dtype = comparable(a.dtype(), b.dtype());
  if (a.dtype() != dtype || b.dtype() != dtype) {
    return compare(op, cast(a, dtype), cast(b, dtype));
  }
  const Shape shape = broadcast_shapes(a.shape(), b.shape(), row.name);
  const Array left = spread(a, shape), right = spread(b, shape);
  Array out = empty(shape, Dtype::Bool, a.device());
  if (out.size() == 0) return out;
  if (a.device() == Device::Cuda) {
    zip_on_device(row.code, left, right, out);
    return out;
  }
  visit_number(dtype, row.name, [&](auto type) {
    using T = typename decltype(type)::type;
    cpu::compare<T>(op, shape, host_input<T>(left), host_input<T>(right),
                    host_output<bool>(out));
  });
  return out;
}

}  // namespace minitorch::ops
