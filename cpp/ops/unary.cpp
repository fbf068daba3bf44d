// Owns the unary elementwise ops on both devices.
#include "ops/unary.h"

#include "base/enumerators.h"
#include "ops/create.h"
#include "ops/dispatch.h"
#include "ops/launch.h"
#include "ops/layout.h"
#include "ops/widen.h"

namespace minitorch::ops {
namespace {

using cpu::Unary;

struct UnaryRow {
  Unary op;
  const char* name;
  bool real;         // integers are converted to float64 first
  const char* code;  // body of the kernel's functor of Scalar x
};

constexpr UnaryRow kUnaryRows[] = {
    {Unary::Neg, "neg", false, "return -x;"},
    {Unary::Abs, "abs", false, "return x < 0 ? -x : x + Scalar(0);"},
    {Unary::Relu, "relu", false, "return x < 0 ? Scalar(0) : x;"},
    {Unary::Sign, "sign", false,
     "return x > 0 ? Scalar(1) : x < 0 ? Scalar(-1) : x == 0 ? Scalar(0) : x;"},
    {Unary::Floor, "floor", false, "return floor(x);"},
    {Unary::Ceil, "ceil", false, "return ceil(x);"},
    {Unary::Round, "round", false, "return rint(x);"},
    {Unary::Sigmoid, "sigmoid", true,
     "const Scalar e = exp(x > 0 ? -x : x); return (x >= 0 ? Scalar(1) : e) / (1 + "
     "e);"},
    {Unary::Exp, "exp", true, "return exp(x);"},
    {Unary::Log, "log", true, "return log(x);"},
    {Unary::Sqrt, "sqrt", true, "return sqrt(x);"},
    {Unary::Rsqrt, "rsqrt", true, "return 1 / sqrt(x);"},
    {Unary::Tanh, "tanh", true, "return tanh(x);"},
    {Unary::Reciprocal, "reciprocal", true, "return Scalar(1) / x;"},
    {Unary::Sin, "sin", true, "return sin(x);"},
    {Unary::Cos, "cos", true, "return cos(x);"},
    {Unary::Erf, "erf", true, "return erf(x);"},
    {Unary::Gelu, "gelu", true,
     "return x * Scalar(0.5) * (1 + erf(x * Scalar(0.70710678118654752)));"},
    {Unary::GeluTanh, "gelu", true,
     "const Scalar u = x + Scalar(0.044715) * x * x * x; "
     "return x * Scalar(0.5) * (1 + tanh(Scalar(0.79788456080286536) * u));"},
    {Unary::Silu, "silu", true,
     "const Scalar e = exp(x > 0 ? -x : x); "
     "return x * ((x >= 0 ? Scalar(1) : e) / (1 + e));"},
};

static_assert(base::rows_follow_enumerators<kUnaryRows>([](const UnaryRow& row) {
  return row.op;
}));

const UnaryRow& row_of(Unary op) { return kUnaryRows[static_cast<size_t>(op)]; }

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

}  // namespace

Array unary(Unary op, const Array& a) {
  const UnaryRow& row = row_of(op);
  if (row.real && !is_floating(a.dtype())) return unary(op, cast(a, Dtype::Float64));
  if (is_half(a.dtype())) {
    return in_float32(a, [op](const Array& wide) { return unary(op, wide); });
  }
  if (!is_floating(a.dtype()) && Unary::Floor <= op && op <= Unary::Round) {
    return copy(a);
  }
  if (a.dtype() == Dtype::Bool) {
    if (op == Unary::Neg || op == Unary::Sign) {
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

}  // namespace minitorch::ops
