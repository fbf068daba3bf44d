#include "ops/where.h"

#include <algorithm>
#include <cstring>

#include "cpu/where.h"
#include "ops/create.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/launch.h"
#include "ops/layout.h"
#include "runtime/recorder.h"

namespace minitorch::ops {
namespace {

/// What is true of `condition` as a loop or a kernel reads it, of that shape.
Array truth(const Array& condition, const Shape& shape) {
  const bool cuda = condition.device() == Device::Cuda;
  return spread(cuda ? condition : cast(condition, Dtype::Bool), shape);
}

void run_on_device(const Array& chosen, const Array& left, const Array& right,
                   const Array& out) {
  KernelLaunch launch("where", out.dtype());
  launch.type("Condition", chosen.dtype());
  launch.walk(out.shape(), {&chosen, &left, &right});
  launch.add(out);
  launch.add(chosen);
  launch.add(left);
  launch.add(right);
  launch.add_shape();
  for (size_t i = 0; i < 3; ++i) launch.add_strides(i);
  launch.add_index(out.size());
  launch.run_elementwise();
}

void run_on_device(const Array& chosen, const Array& a, Number number, bool first,
                   const Array& out) {
  KernelLaunch launch("where_number", out.dtype());
  launch.type("Condition", chosen.dtype());
  launch.flag("NUMBER_FIRST", first);
  launch.walk(out.shape(), {&chosen, &a});
  launch.add(out);
  launch.add(chosen);
  launch.add(a);
  launch.add_scalar(number);
  launch.add_shape();
  for (size_t i = 0; i < 2; ++i) launch.add_strides(i);
  launch.add_index(out.size());
  launch.run_elementwise();
}

/// The bytes of a number as an element of `dtype`, which has the size of T.
template <class T>
T bits_of(Number number, Dtype dtype) {
  return visit_stored(dtype, [&](auto type) {
    const auto value = number.as<typename decltype(type)::type>();
    T bits{};
    std::memcpy(&bits, &value, std::min(sizeof bits, sizeof value));
    return bits;
  });
}

void run_on_host(const Array& chosen, const Array& a, Number number, bool first,
                 const Array& out) {
  visit_size(size_of(out.dtype()), [&](auto type) {
    using T = typename decltype(type)::type;
    const T bits = bits_of<T>(number, out.dtype());
    const array::Strides still(out.dims(), 0);
    const cpu::Strided<const T> side{&bits, still}, cells = host_input<T>(a);
    cpu::where<T>(out.shape(), host_input<bool>(chosen), first ? side : cells,
                  first ? cells : side, host_output<T>(out));
  });
}

Array with_number(const Array& condition, const Array& a, Number number, bool first) {
  const runtime::OpScope scope("where", {&condition, &a});
  require_one_device("where", condition, a);
  const Dtype beside = dtype_beside(a.dtype(), number, "tensor");
  const Dtype dtype = promote(a.dtype(), beside);
  const Shape shape = broadcast_shapes(condition.shape(), a.shape(), "where");
  const Array chosen = truth(condition, shape), cells = spread(cast(a, dtype), shape);
  const Array out = empty(shape, dtype, a.device());
  if (out.size() == 0) return out;
  const Number held = rounded(number, beside);
  if (a.device() == Device::Cuda) {
    run_on_device(chosen, cells, held, first, out);
  } else {
    run_on_host(chosen, cells, held, first, out);
  }
  return out;
}

}  // namespace

Array where(const Array& condition, const Array& a, const Array& b) {
  const runtime::OpScope scope("where", {&condition, &a, &b});
  require_one_device("where", condition, a);
  require_one_device("where", a, b);
  const Dtype dtype = promote(a.dtype(), b.dtype());
  const Shape values = broadcast_shapes(a.shape(), b.shape(), "where");
  const Shape shape = broadcast_shapes(condition.shape(), values, "where");
  const Array chosen = truth(condition, shape);
  const Array left = spread(cast(a, dtype), shape);
  const Array right = spread(cast(b, dtype), shape);
  Array out = empty(shape, dtype, a.device());
  if (out.size() == 0) return out;
  if (a.device() == Device::Cuda) {
    run_on_device(chosen, left, right, out);
    return out;
  }
  visit_size(size_of(dtype), [&](auto type) {
    using T = typename decltype(type)::type;
    cpu::where<T>(shape, host_input<bool>(chosen), host_input<T>(left),
                  host_input<T>(right), host_output<T>(out));
  });
  return out;
}

Array where(const Array& condition, const Array& a, Number b) {
  return with_number(condition, a, b, false);
}

Array where(const Array& condition, Number a, const Array& b) {
  return with_number(condition, b, a, true);
}

}  // namespace minitorch::ops
