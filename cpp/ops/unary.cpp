// Owns the unary elementwise ops on both devices.
#include "ops/unary.h"

#include "ops/create.h"
#include "ops/dispatch.h"
#include "ops/launch.h"
#include "ops/layout.h"

namespace minitorch::ops {
namespace {

using cpu::Unary;

struct Row {
  Unary op;
  const char* name;
  bool real;         // integers are converted to float64 first
  const char* code;  // body of the kernel's functor of Scalar x
};

constexpr Row kRows[] = {
    {Unary::Neg, "neg", false, "return -x;"},
    {Unary::Abs, "abs", false, "return x < 0 ? -x : x + Scalar(0);"},
    {Unary::Relu, "relu", false, "return x < 0 ? Scalar(0) : x;"},
    {Unary::Sigmoid, "sigmoid", true,
     "const Scalar e = exp(x > 0 ? -x : x); return (x >= 0 ? Scalar(1) : e) / (1 + "
     "e);"},
    {Unary::Exp, "exp", true, "return exp(x);"},
    {Unary::Log, "log", true, "return log(x);"},
    {Unary::Sqrt, "sqrt", true, "return sqrt(x);"},
    {Unary::Tanh, "tanh", true, "return tanh(x);"},
    {Unary::Reciprocal, "reciprocal", true, "return Scalar(1) / x;"},
};

const Row& row_of(Unary op) { return kRows[static_cast<size_t>(op)]; }

void map_on_device(const Row& row, const Array& a, const Array& out) {
  KernelLaunch launch("map", out.dtype(), row.name);
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
  const Row& row = row_of(op);
  if (row.real && !is_floating(a.dtype())) return unary(op, cast(a, Dtype::Float64));
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
