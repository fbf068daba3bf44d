// Owns the elementwise ops on both devices.
#include "ops/elementwise.h"

#include "base/error.h"
#include "base/text.h"
#include "ops/create.h"
#include "ops/dispatch.h"
#include "ops/launch.h"
#include "ops/layout.h"
#include "ops/reduce.h"
#include "ops/transfer.h"
#include "ops/widen.h"

namespace minitorch::ops {
namespace {

using cpu::Binary;
using cpu::Compare;
using cpu::Domain;
using cpu::Unary;

struct UnaryRow {
  const char* name;
  Domain domain;
  const char* code;  // body of the kernel's functor of Scalar x
};

struct BinaryRow {
  const char* name;
  Domain domain;
  Binary among_truth;
  const char* code;  // body of the kernel's functor of Source a, b
  const char* integer_code = code;
};

struct CompareRow {
  const char* name;
  const char* code;
};

#define BOTH(...) "return " #__VA_ARGS__ ";"
#define EACH(formula, code) code
#define STRAIGHT(function, code) code
#define ARITHMETIC(function, formula) BOTH(formula)
#define WIDE(formula, of_integers) \
  BOTH(formula), "using Wide = long long; return " #of_integers ";"

constexpr UnaryRow kUnaryRows[] = {
#define MINITORCH_UNARY(Op, function, name, domain, formula, ...) \
  {name, Domain::domain, formula},
#include "cpu/elementwise.inc"
};

constexpr BinaryRow kBinaryRows[] = {
#define MINITORCH_BINARY(Op, function, name, domain, truth, formula, ...) \
  {name, Domain::domain, Binary::truth, formula},
#include "cpu/elementwise.inc"
};

constexpr CompareRow kCompareRows[] = {
#define MINITORCH_COMPARE(Op, name, formula) {#name, formula},
#include "cpu/elementwise.inc"
};

#undef BOTH
#undef EACH
#undef STRAIGHT
#undef ARITHMETIC
#undef WIDE

const UnaryRow& row_of(Unary op) { return kUnaryRows[static_cast<size_t>(op)]; }
const BinaryRow& row_of(Binary op) { return kBinaryRows[static_cast<size_t>(op)]; }
const CompareRow& row_of(Compare op) { return kCompareRows[static_cast<size_t>(op)]; }

void map_on_device(const UnaryRow& row, const Array& a, const Array& out) {
  KernelLaunch launch("map", out.dtype());
  launch.function("Scalar x", row.code);
  launch.walk(a.shape(), {&a});
  launch.add(out);
  launch.add(a);
  launch.add_shape();
  launch.add_strides(0);
  launch.add_index(out.size());
  launch.run_elementwise();
}

/// Launches zip.cu: out = Fn(a, b), all of one shape, `code` being the body of
/// `Fn(Source a, Source b)`.
void zip_on_device(const char* code, const Array& a, const Array& b, const Array& out) {
  KernelLaunch launch("zip", out.dtype());
  launch.type("Source", a.dtype());
  launch.line("#include \"python_math.cuh\"");
  launch.function("Source a, Source b", code);
  launch.walk(out.shape(), {&a, &b});
  launch.add(out);
  launch.add(a);
  launch.add(b);
  launch.add_shape();
  launch.add_strides(0);
  launch.add_strides(1);
  launch.add_index(out.size());
  launch.run_elementwise();
}

/// Among truth values, which are bytes of 0 and 1: NumPy's rules.
Array truth_binary(Binary op, const Array& a, const Array& b) {
  if (row_of(op).domain == Domain::Number) {
    refuse_dtype(row_of(op).name, Dtype::Bool, "a number. Try ^ or .to(\"int64\")");
  }
  const Binary logical = row_of(op).among_truth;
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

void run(Binary op, const Array& a, const Array& b, const Array& out) {
  const BinaryRow& row = row_of(op);
  if (a.device() == Device::Cuda) {
    const bool real = is_floating(out.dtype());
    return zip_on_device(real ? row.code : row.integer_code, a, b, out);
  }
  visit_number(out.dtype(), row.name, [&](auto type) {
    using T = typename decltype(type)::type;
    cpu::binary<T>(op, out.shape(), host_input<T>(a), host_input<T>(b),
                   host_output<T>(out));
  });
}

/// The dtype in which both sides are compared: 16-bit floats are exact in float32,
/// truth values as bytes.
Dtype comparable(Dtype a, Dtype b) {
  const Dtype dtype = promote(a, b);
  if (is_half(dtype)) return Dtype::Float32;
  return dtype == Dtype::Bool ? Dtype::UInt8 : dtype;
}

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

Array unary(Unary op, const Array& a) {
  const UnaryRow& row = row_of(op);
  if (row.domain == Domain::Real && !is_floating(a.dtype()))
    return unary(op, cast(a, Dtype::Float64));
  if (is_half(a.dtype())) {
    return in_float32(a, [op](const Array& wide) { return unary(op, wide); });
  }
  if (!is_floating(a.dtype()) && row.domain == Domain::Whole) {
    return copy(a);
  }
  if (a.dtype() == Dtype::Bool) {
    if (row.domain == Domain::Number) {
      refuse_dtype(row.name, a.dtype(), "a number. Try .to(\"int64\")");
    }
    return copy(a);
  }
  Array out = empty(a.shape(), a.dtype(), a.device());
  if (out.size() == 0) return out;
  if (a.device() == Device::Cuda) {
    map_on_device(row, a, out);
    return out;
  }
  visit_number(a.dtype(), row.name, [&](auto type) {
    using T = typename decltype(type)::type;
    cpu::unary<T>(op, a.shape(), host_input<T>(a), host_output<T>(out));
  });
  return out;
}

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
  if (out.size() > 0) run(op, spread(a, shape), spread(b, shape), out);
  return out;
}

Array compare(Compare op, const Array& a, const Array& b) {
  const CompareRow& row = row_of(op);
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

const char* name_of(Unary op) { return row_of(op).name; }
const char* name_of(Binary op) { return row_of(op).name; }

void require_one_device(const char* where, const Array& a, const Array& b) {
  if (a.device() == b.device()) return;
  throw base::ValueError(
      where, base::text("got tensors on ", device_name(a.device()), " and ",
                        device_name(b.device()),
                        "; need one device. Move the data to the model: the one on "
                        "cpu .to(\"cuda\")."));
}

Array spread(const Array& a, const array::Shape& shape) {
  return a.shape() == shape ? a : a.expand(shape);
}

}  // namespace minitorch::ops
