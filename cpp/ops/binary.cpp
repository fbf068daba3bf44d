// Owns the binary elementwise ops on both devices.
#include "ops/binary.h"

#include "base/enumerators.h"
#include "ops/create.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/layout.h"
#include "ops/reduce.h"
#include "ops/transfer.h"

namespace minitorch::ops {
namespace {

using cpu::Binary;

enum class Domain { All, Real, Integer };  // Real: integers become float64 first

struct BinaryRow {
  Binary op;
  const char* name;
  Domain domain;
  const char* code;  // body of the kernel's functor of Source a, b
  const char* integer_code = code;
};

constexpr BinaryRow kBinaryRows[] = {
    {Binary::Add, "add", Domain::All, "return a + b;"},
    {Binary::Sub, "sub", Domain::All, "return a - b;"},
    {Binary::Mul, "mul", Domain::All, "return a * b;"},
    {Binary::Div, "div", Domain::Real, "return a / b;"},
    {Binary::FloorDiv, "floor_divide", Domain::All, "return floor_divide(a, b);",
     "using Wide = long long; return floor_divide(Wide(a), Wide(b));"},
    {Binary::Mod, "remainder", Domain::All, "return floor_modulo(a, b);",
     "using Wide = long long; return floor_modulo(Wide(a), Wide(b));"},
    {Binary::Pow, "pow", Domain::All, "return pow(a, b);",
     "using Wide = long long; return power(Wide(a), Wide(b));"},
    {Binary::Maximum, "maximum", Domain::All, "return a > b || a != a ? a : b;"},
    {Binary::Minimum, "minimum", Domain::All, "return a < b || a != a ? a : b;"},
    {Binary::And, "bitwise_and", Domain::Integer, "return a & b;"},
    {Binary::Or, "bitwise_or", Domain::Integer, "return a | b;"},
    {Binary::Xor, "bitwise_xor", Domain::Integer, "return a ^ b;"},
    {Binary::ReluGrad, "relu_grad", Domain::Real, "return a > 0 ? b : Scalar(0);"},
    {Binary::SigmoidGrad, "sigmoid_grad", Domain::Real, "return b * a * (1 - a);"},
    {Binary::TanhGrad, "tanh_grad", Domain::Real, "return b * (1 - a * a);"},
};

static_assert(base::rows_follow_enumerators<kBinaryRows>([](const BinaryRow& row) {
  return row.op;
}));

const BinaryRow& row_of(Binary op) { return kBinaryRows[static_cast<size_t>(op)]; }

/// What an op is among truth values, which are bytes of 0 and 1: NumPy's rules.
Binary among_truth(Binary op) {
  switch (op) {
    case Binary::Add:
    case Binary::Maximum:
      return Binary::Or;
    case Binary::Mul:
    case Binary::Minimum:
      return Binary::And;
    case Binary::Sub:
      refuse_dtype("sub", Dtype::Bool, "a number. Try ^ or .to(\"int64\")");
    default:
      return op;
  }
}

Array truth_binary(Binary op, const Array& a, const Array& b) {
  const Binary logical = among_truth(op);
  const Array out = binary(logical, a.as_dtype(Dtype::UInt8), b.as_dtype(Dtype::UInt8));
  return row_of(logical).domain == Domain::Integer ? out.as_dtype(Dtype::Bool) : out;
}

void require_no_negative(const Array& exponents) {
  const Dtype dtype = exponents.dtype();
  if (dtype == Dtype::UInt8 || exponents.size() == 0) return;
  const double least = item(reduce_all(cpu::Reduce::Min, exponents));
  if (least >= 0) return;
  throw base::ValueError(
      "pow", base::text("got exponent ", least, " among ", dtype_name(dtype),
                        "; need exponents of 0 or more for integers. Try "
                        ".to(\"float64\")."));
}

void run(const BinaryRow& row, const Array& a, const Array& b, const Array& out) {
  if (a.device() == Device::Cuda) {
    const bool real = is_floating(out.dtype());
    return zip_on_device(real ? row.code : row.integer_code, a, b, out);
  }
  visit_number(out.dtype(), row.name, [&](auto type) {
    using T = typename decltype(type)::type;
    cpu::binary<T>(row.op, out.shape(), host_input<T>(a), host_input<T>(b),
                   host_output<T>(out));
  });
}

}  // namespace

Array binary(Binary op, const Array& a, const Array& b) {
  const BinaryRow& row = row_of(op);
  require_one_device(row.name, a, b);
  Dtype dtype = promote(a.dtype(), b.dtype());
  if (!is_floating(dtype) && row.domain == Domain::Real) dtype = Dtype::Float64;
  if (is_floating(dtype) && row.domain == Domain::Integer) {
    refuse_dtype(row.name, dtype, "integers or bool");
  }
  if (is_half(dtype)) {
    return cast(binary(op, cast(a, Dtype::Float32), cast(b, Dtype::Float32)), dtype);
  }
  if (a.dtype() != dtype || b.dtype() != dtype) {
    return binary(op, cast(a, dtype), cast(b, dtype));
  }
  if (dtype == Dtype::Bool) return truth_binary(op, a, b);
  if (op == Binary::Pow && !is_floating(dtype)) require_no_negative(b);
  const Shape shape = broadcast_shapes(a.shape(), b.shape(), row.name);
  Array out = empty(shape, dtype, a.device());
  if (out.size() > 0) run(row, spread(a, shape), spread(b, shape), out);
  return out;
}

namespace {

/// The integers that an integer dtype holds.
bool holds(Dtype dtype, const Number& number) {
  if (number.value >= 0x1p63 || number.value < -0x1p63) return false;
  switch (dtype) {
    case Dtype::UInt8:
      return number.integer >= 0 && number.integer <= 255;
    case Dtype::Int32:
      return number.integer == static_cast<int32_t>(number.integer);
    default:
      return true;
  }
}

Dtype dtype_beside(Dtype dtype, const Number& number) {
  if (is_floating(dtype) || number.is_bool) return dtype;
  if (!number.is_integer) return Dtype::Float64;
  return dtype == Dtype::Bool ? Dtype::Int64 : dtype;
}

}  // namespace

Array beside(const Array& a, Number number, const char* where) {
  const Dtype dtype = dtype_beside(a.dtype(), number);
  if (!is_floating(dtype) && !holds(dtype, number)) {
    if (!where) return full(Shape{}, number, Dtype::Float64, a.device());
    throw base::ValueError(where, base::text("got ", number.value,
                                             " beside a tensor of ", dtype_name(dtype),
                                             "; need an integer that this dtype holds. "
                                             "Try .to(\"float64\")."));
  }
  return full(Shape{}, number, dtype, a.device());
}

const char* name_of(Binary op) { return row_of(op).name; }

}  // namespace minitorch::ops
