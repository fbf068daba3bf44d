// Owns the binary elementwise ops on both devices.
#include "ops/binary.h"

#include "ops/create.h"
#include "ops/dispatch.h"
#include "ops/launch.h"
#include "ops/layout.h"

namespace minitorch::ops {
namespace {

using cpu::Binary;

struct Row {
  Binary op;
  const char* name;
  bool real;         // integers are converted to float64 first
  const char* code;  // body of the kernel's functor of Scalar a, b
};

constexpr Row kRows[] = {
    {Binary::Add, "add", false, "return a + b;"},
    {Binary::Sub, "sub", false, "return a - b;"},
    {Binary::Mul, "mul", false, "return a * b;"},
    {Binary::Div, "div", true, "return a / b;"},
    {Binary::Pow, "pow", true, "return pow(a, b);"},
    {Binary::Maximum, "maximum", false, "return a > b || a != a ? a : b;"},
    {Binary::Minimum, "minimum", false, "return a < b || a != a ? a : b;"},
    {Binary::Less, "lt", true, "return a < b ? Scalar(1) : Scalar(0);"},
    {Binary::Greater, "gt", true, "return a > b ? Scalar(1) : Scalar(0);"},
    {Binary::Equal, "eq", true, "return a == b ? Scalar(1) : Scalar(0);"},
    {Binary::ReluGrad, "relu_grad", true, "return a > 0 ? b : Scalar(0);"},
    {Binary::SigmoidGrad, "sigmoid_grad", true, "return b * a * (1 - a);"},
    {Binary::TanhGrad, "tanh_grad", true, "return b * (1 - a * a);"},
};

const Row& row_of(Binary op) { return kRows[static_cast<size_t>(op)]; }

void require_one_device(const char* where, const Array& a, const Array& b) {
  if (a.device() == b.device()) return;
  throw base::ValueError(
      where, base::text("got tensors on ", device_name(a.device()), " and ",
                        device_name(b.device()), "; need one device. Try .to(\"",
                        device_name(a.device()), "\")."));
}

void zip_on_device(const Row& row, const Array& a, const Array& b, const Array& out) {
  KernelLaunch launch("zip", out.dtype(), row.name);
  launch.function("Scalar a, Scalar b", row.code);
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

}  // namespace

Array binary(Binary op, const Array& a, const Array& b) {
  const Row& row = row_of(op);
  require_one_device(row.name, a, b);
  Dtype dtype = promote(a.dtype(), b.dtype());
  if (row.real && !is_floating(dtype)) dtype = Dtype::Float64;
  if (a.dtype() != dtype || b.dtype() != dtype) {
    return binary(op, cast(a, dtype), cast(b, dtype));
  }
  const Shape shape = broadcast_shapes(a.shape(), b.shape(), row.name);
  const Array left = a.shape() == shape ? a : a.expand(shape);
  const Array right = b.shape() == shape ? b : b.expand(shape);
  Array out = empty(shape, dtype, a.device());
  if (out.size() == 0) return out;
  if (a.device() == Device::Cuda) {
    zip_on_device(row, left, right, out);
    return out;
  }
  visit_number(dtype, row.name, [&](auto type) {
    using T = typename decltype(type)::type;
    cpu::binary<T>(op, shape, host_input<T>(left), host_input<T>(right),
                   host_output<T>(out));
  });
  return out;
}

Dtype dtype_beside(Dtype dtype, Number number) {
  if (is_floating(dtype)) return dtype;
  if (!number.is_integer) return Dtype::Float64;
  return dtype == Dtype::Bool ? Dtype::Int64 : dtype;
}

Array beside(const Array& a, Number number) {
  return full(Shape{}, number.value, dtype_beside(a.dtype(), number), a.device());
}

}  // namespace minitorch::ops
