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
#include "runtime/recorder.h"

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
#define ARITHMETIC(formula) BOTH(formula)
#define WIDE(formula, of_integers) \
  BOTH(formula), "using Wide = long long; return " #of_integers ";"
#define STRAIGHT_WIDE(function, formula, of_integers) WIDE(formula, of_integers)

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
#undef STRAIGHT_WIDE

const UnaryRow& row_of(Unary op) { return kUnaryRows[static_cast<size_t>(op)]; }
const BinaryRow& row_of(Binary op) { return kBinaryRows[static_cast<size_t>(op)]; }
const CompareRow& row_of(Compare op) { return kCompareRows[static_cast<size_t>(op)]; }

/// 16-bit floats are widened in the kernel's functor, where Scalar is this.
const char* working_in(Dtype source) { return is_half(source) ? "float" : ""; }

void map_on_device(const UnaryRow& row, const Array& a, const Array& out) {
  KernelLaunch launch("map", out.dtype());
  const bool half = is_half(a.dtype());
  launch.function(half ? "float x" : "Scalar x", row.code, working_in(a.dtype()));
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
  const bool half = is_half(a.dtype());
  launch.function(half ? "float a, float b" : "Source a, Source b", code,
                  working_in(a.dtype()));
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

/// A number on one side of an op, rounded to the dtype that it has there.
struct NumberSide {
  Number value;
  bool first;
};

/// Launches zip_number.cu: out = Fn(a, number) or Fn(number, a), computed in `working`,
/// `code` being the body of `Fn(Working a, Working b)`.
void number_on_device(const char* code, const Array& a, const NumberSide& side,
                      Dtype working, const Array& out) {
  KernelLaunch launch("zip_number", out.dtype());
  launch.type("Source", a.dtype());
  launch.type("Working", working);
  launch.flag("NUMBER_FIRST", side.first);
  launch.line("#include \"python_math.cuh\"");
  launch.function("Working a, Working b", code, "Working");
  launch.walk(out.shape(), {&a});
  launch.add(out);
  launch.add(a);
  launch.add_number(side.value, working);
  launch.add_shape();
  launch.add_strides(0);
  launch.add_index(out.size());
  launch.run_elementwise();
}

/// Calls `loop` with both sides of an op on the host, the number as one element that
/// every step sees.
template <class T, class Loop>
void beside_on_host(const Array& a, const NumberSide& side, Loop loop) {
  const T value = side.value.as<T>();
  const array::Strides still(a.dims(), 0);
  const cpu::Strided<const T> number{&value, still};
  side.first ? loop(number, host_input<T>(a)) : loop(host_input<T>(a), number);
}

/// Among truth values, which are bytes of 0 and 1: NumPy's rules. `bytes` makes the
/// bytes that an op gives.
template <class Bytes>
Array truth_binary(Binary op, Bytes bytes) {
  if (row_of(op).domain == Domain::Number) {
    refuse_dtype(row_of(op).name, Dtype::Bool, "a number. Try ^ or .to(\"int64\")");
  }
  const Binary logical = row_of(op).among_truth;
  const Array out = bytes(logical);
  return row_of(logical).domain == Domain::Integer ? out.as_dtype(Dtype::Bool) : out;
}

void require_no_negative(double least, Dtype dtype) {
  if (least >= 0) return;
  throw base::ValueError(
      "pow", base::text("got exponent ", least, " among ", dtype_name(dtype),
                        "; need exponents of 0 or more for integers. Try "
                        ".to(\"float64\")."));
}

void require_no_negative(const Array& exponents) {
  const Dtype dtype = exponents.dtype();
  if (dtype == Dtype::UInt8 || exponents.size() == 0) return;
  require_no_negative(item(reduce_all(cpu::Reduce::Min, exponents)), dtype);
}

/// In which dtype `op` of the promoted `dtype` is computed and given.
Dtype computed_dtype(Binary op, Dtype dtype) {
  const BinaryRow& row = row_of(op);
  if (!is_floating(dtype) && row.domain == Domain::Real) return Dtype::Float64;
  if (is_floating(dtype) && row.domain == Domain::Integer) {
    refuse_dtype(row.name, dtype, "integers or bool");
  }
  return dtype;
}

const char* code_of(Binary op, Dtype dtype) {
  return is_floating(dtype) ? row_of(op).code : row_of(op).integer_code;
}

void run(Binary op, const Array& a, const Array& b, const Array& out) {
  if (a.device() == Device::Cuda) {
    return zip_on_device(code_of(op, out.dtype()), a, b, out);
  }
  visit_element(out.dtype(), row_of(op).name, [&](auto type) {
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

Dtype wanted_beside(Dtype dtype, const Number& number) {
  if (is_floating(dtype) || number.is_bool) return dtype;
  if (!number.is_integer) return Dtype::Float64;
  return dtype == Dtype::Bool ? Dtype::Int64 : dtype;
}

Array binary(Binary op, const Array& a, Number number, bool first) {
  const runtime::OpScope scope(name_of(op), {&a});
  const char* name = row_of(op).name;
  const Dtype beside = dtype_beside(a.dtype(), number, name);
  const Dtype dtype = computed_dtype(op, promote(a.dtype(), beside));
  if (dtype == Dtype::Bool) {
    return truth_binary(op, [&](Binary logical) {
      const Array bytes = a.as_dtype(Dtype::UInt8);
      return binary(logical, bytes, Number{number.integer}, first);
    });
  }
  if (op == Binary::Pow && !is_floating(dtype)) {
    first ? require_no_negative(a) : require_no_negative(number.value, dtype);
  }
  const bool cuda = a.device() == Device::Cuda;
  const Dtype working = is_half(dtype) ? Dtype::Float32 : dtype;
  const NumberSide side{rounded(number, beside), first};
  const Array out = empty(a.shape(), dtype, a.device());
  if (cuda && out.size() > 0) {
    number_on_device(code_of(op, dtype), a, side, working, out);
  } else if (out.size() > 0) {
    visit_element(dtype, name, [&](auto type) {
      using T = typename decltype(type)::type;
      beside_on_host<T>(cast(a, dtype), side, [&](auto left, auto right) {
        cpu::binary<T>(op, out.shape(), left, right, host_output<T>(out));
      });
    });
  }
  return out;
}

/// Compares on the host into `out`: bool, or the dtype of both sides, which is a float.
template <class T>
void compare_on_host(Compare op, cpu::Strided<const T> left,
                     cpu::Strided<const T> right, const Array& out) {
  if constexpr (std::is_floating_point_v<T>) {
    if (out.dtype() != Dtype::Bool)
      return cpu::order<T>(op, out.shape(), left, right, host_output<T>(out));
  }
  cpu::compare<T>(op, out.shape(), left, right, host_output<bool>(out));
}

/// What a comparison in `dtype` can write on the host to end as `wanted`.
Dtype host_result(Dtype wanted, Dtype dtype) {
  return wanted == dtype && is_floating(dtype) ? dtype : Dtype::Bool;
}

/// a op b as `result`: bool or a floating dtype.
Array compare(Compare op, const Array& a, const Array& b, Dtype result) {
  const runtime::OpScope scope(name_of(op), {&a, &b});
  const CompareRow& row = row_of(op);
  require_one_device(row.name, a, b);
  const bool cuda = a.device() == Device::Cuda;
  const Dtype dtype = comparable(a.dtype(), b.dtype());
  const bool widened = cuda && a.dtype() == b.dtype() && is_half(a.dtype());
  if (!widened && (a.dtype() != dtype || b.dtype() != dtype)) {
    return compare(op, cast(a, dtype), cast(b, dtype), result);
  }
  const Shape shape = broadcast_shapes(a.shape(), b.shape(), row.name);
  const Array left = spread(a, shape), right = spread(b, shape);
  const Array out =
      empty(shape, cuda ? result : host_result(result, dtype), a.device());
  if (cuda && out.size() > 0) {
    zip_on_device(row.code, left, right, out);
  } else if (out.size() > 0) {
    visit_number(dtype, row.name, [&](auto type) {
      using T = typename decltype(type)::type;
      compare_on_host<T>(op, host_input<T>(left), host_input<T>(right), out);
    });
  }
  return cast(out, result);
}

Array compare(Compare op, const Array& a, Number b, Dtype result) {
  const runtime::OpScope scope(name_of(op), {&a});
  const CompareRow& row = row_of(op);
  const bool cuda = a.device() == Device::Cuda;
  const Dtype beside = dtype_beside(a.dtype(), b, nullptr);
  const Dtype dtype = comparable(a.dtype(), beside);
  const NumberSide side{rounded(b, beside), false};
  const Dtype made = cuda ? result : host_result(result, dtype);
  const Array out = empty(a.shape(), made, a.device());
  if (cuda && out.size() > 0) {
    number_on_device(row.code, a, side, dtype, out);
  } else if (out.size() > 0) {
    visit_number(dtype, row.name, [&](auto type) {
      using T = typename decltype(type)::type;
      beside_on_host<T>(cast(a, dtype), side, [&](auto left, auto right) {
        compare_on_host<T>(op, left, right, out);
      });
    });
  }
  return cast(out, result);
}

/// The dtype of 1 and 0 that stand for truth.
Dtype ordered(Dtype both) { return is_floating(both) ? both : Dtype::Float64; }

/// Both limits in one launch of clamp.cu.
Array clamp_on_device(const Array& a, Number low, Number high, Dtype dtype) {
  const Dtype working = is_half(dtype) ? Dtype::Float32 : dtype;
  const Array out = empty(a.shape(), dtype, a.device());
  if (out.size() == 0) return out;
  KernelLaunch launch("clamp", dtype);
  launch.type("Source", a.dtype());
  launch.type("Working", working);
  launch.walk(a.shape(), {&a});
  launch.add(out);
  launch.add(a);
  launch.add_number(low, working);
  launch.add_number(high, working);
  launch.add_shape();
  launch.add_strides(0);
  launch.add_index(out.size());
  launch.run_elementwise();
  return out;
}

}  // namespace

FloatCode float_code(std::string_view op) {
  for (const UnaryRow& row : kUnaryRows)
    if (op == row.name) return {1, row.code};
  for (const BinaryRow& row : kBinaryRows)
    if (op == row.name && row.domain != Domain::Integer) return {2, row.code};
  for (const CompareRow& row : kCompareRows)
    if (op == row.name) return {2, row.code};
  throw base::ValueError("float_code",
                         base::text("got '", op, "'; need an elementwise op."));
}

Array unary(Unary op, const Array& a) {
  const runtime::OpScope scope(name_of(op), {&a});
  const UnaryRow& row = row_of(op);
  if (row.domain == Domain::Real && !is_floating(a.dtype()))
    return unary(op, cast(a, Dtype::Float64));
  const bool cuda = a.device() == Device::Cuda;
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
  if (cuda) {
    map_on_device(row, a, out);
    return out;
  }
  visit_element(a.dtype(), row.name, [&](auto type) {
    using T = typename decltype(type)::type;
    cpu::unary<T>(op, a.shape(), host_input<T>(a), host_output<T>(out));
  });
  return out;
}

Array binary(Binary op, const Array& a, const Array& b) {
  const runtime::OpScope scope(name_of(op), {&a, &b});
  const BinaryRow& row = row_of(op);
  require_one_device(row.name, a, b);
  const Dtype dtype = computed_dtype(op, promote(a.dtype(), b.dtype()));
  const bool cuda = a.device() == Device::Cuda;
  // An integer beside them is not rounded twice.
  if (is_half(dtype) && !cuda && a.dtype() != b.dtype()) {
    return cast(binary(op, cast(a, Dtype::Float32), cast(b, Dtype::Float32)), dtype);
  }
  if (a.dtype() != dtype || b.dtype() != dtype) {
    return binary(op, cast(a, dtype), cast(b, dtype));
  }
  if (dtype == Dtype::Bool) {
    return truth_binary(op, [&](Binary logical) {
      return binary(logical, a.as_dtype(Dtype::UInt8), b.as_dtype(Dtype::UInt8));
    });
  }
  if (op == Binary::Pow && !is_floating(dtype)) require_no_negative(b);
  const Shape shape = broadcast_shapes(a.shape(), b.shape(), row.name);
  Array out = empty(shape, dtype, a.device());
  if (out.size() > 0) run(op, spread(a, shape), spread(b, shape), out);
  return out;
}

Array binary(Binary op, const Array& a, Number b) { return binary(op, a, b, false); }
Array binary(Binary op, Number a, const Array& b) { return binary(op, b, a, true); }

namespace {

/// Can a loop or a kernel write the results of `op` with a side of dtype `b` over `a`?
bool overwrites(Binary op, const Array& a, Dtype b) {
  const Dtype dtype = a.dtype();
  if (a.size() == 0 || computed_dtype(op, promote(dtype, b)) != dtype) return false;
  if (a.device() == Device::Cpu)
    return !is_half(dtype) && is_floating(dtype) && cpu::works_in_place(op);
  const bool whole_power = op == Binary::Pow && !is_floating(dtype);
  return a.is_contiguous() && dtype != Dtype::Bool && !whole_power;
}

}  // namespace

bool binary_in_place(Binary op, const Array& a, const Array& b) {
  require_one_device(row_of(op).name, a, b);
  if (!overwrites(op, a, b.dtype()) || a.storage() == b.storage() ||
      broadcast_shapes(a.shape(), b.shape(), row_of(op).name) != a.shape())
    return false;
  run(op, a, spread(cast(b, a.dtype()), a.shape()), a);
  return true;
}

bool binary_in_place(Binary op, const Array& a, Number b) {
  const Dtype beside = dtype_beside(a.dtype(), b, row_of(op).name);
  if (!overwrites(op, a, beside)) return false;
  const NumberSide side{rounded(b, beside), false};
  if (a.device() == Device::Cuda) {
    const Dtype working = is_half(a.dtype()) ? Dtype::Float32 : a.dtype();
    number_on_device(code_of(op, a.dtype()), a, side, working, a);
    return true;
  }
  visit_real(a.dtype(), row_of(op).name, [&](auto type) {
    using T = typename decltype(type)::type;
    beside_on_host<T>(a, side, [&](auto left, auto right) {
      cpu::binary<T>(op, a.shape(), left, right, host_output<T>(a));
    });
  });
  return true;
}

Array compare(Compare op, const Array& a, const Array& b) {
  return compare(op, a, b, Dtype::Bool);
}

Array compare(Compare op, const Array& a, Number b) {
  return compare(op, a, b, Dtype::Bool);
}

Array order(Compare op, const Array& a, const Array& b) {
  return compare(op, a, b, ordered(promote(a.dtype(), b.dtype())));
}

Array order(Compare op, const Array& a, Number b) {
  return compare(op, a, b,
                 ordered(promote(a.dtype(), dtype_beside(a.dtype(), b, nullptr))));
}

Array clamp(const Array& a, std::optional<Number> low, std::optional<Number> high) {
  constexpr const char* kWhere = "clamp";
  const runtime::OpScope scope(kWhere, {&a});
  const Dtype under = low ? dtype_beside(a.dtype(), *low, kWhere) : a.dtype();
  const Dtype dtype = promote(a.dtype(), under);
  const Dtype over = high ? dtype_beside(dtype, *high, kWhere) : dtype;
  const bool together = low && high && a.device() == Device::Cuda && under == over &&
                        dtype != Dtype::Bool;
  if (together)
    return clamp_on_device(a, rounded(*low, under), rounded(*high, over), dtype);
  const Array raised = low ? binary(Binary::Maximum, a, *low) : a;
  return high ? binary(Binary::Minimum, raised, *high) : raised;
}

Dtype dtype_beside(Dtype of_array, Number number, const char* where) {
  const Dtype dtype = wanted_beside(of_array, number);
  if (is_floating(dtype) || holds(dtype, number)) return dtype;
  if (!where) return Dtype::Float64;
  throw base::ValueError(where,
                         base::text("a tensor of ", dtype_name(dtype), " cannot hold ",
                                    number.value, ". Try .to(\"float64\")."));
}

Number rounded(Number number, Dtype dtype) {
  return visit_stored(dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    if constexpr (std::is_integral_v<T>) {
      return Number{number.as<T>()};
    } else {
      return Number{static_cast<double>(number.as<T>())};
    }
  });
}

Array beside(const Array& a, Number number, const char* where) {
  return full(Shape{}, number, dtype_beside(a.dtype(), number, where), a.device());
}

bool is_real(Unary op) { return row_of(op).domain == Domain::Real; }
bool is_real(Binary op) { return row_of(op).domain == Domain::Real; }

const char* name_of(Unary op) { return row_of(op).name; }
const char* name_of(Binary op) { return row_of(op).name; }
const char* name_of(Compare op) { return row_of(op).name; }

void require_one_device(const char* where, const Array& a, const Array& b) {
  if (a.device() == b.device()) return;
  throw DeviceError(
      where, base::text("tensors are on ", device_name(a.device()), " and ",
                        device_name(b.device()),
                        "; need one device. Try .to(\"cuda\") of the one on cpu."));
}

Array spread(const Array& a, const array::Shape& shape) {
  return a.shape() == shape ? a : a.expand(shape);
}

}  // namespace minitorch::ops
