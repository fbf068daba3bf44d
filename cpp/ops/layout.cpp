// Owns the ops that move elements without computing: contiguous, copy, reshape, cast.
#include "ops/layout.h"

#include "cpu/copy.h"
#include "ops/create.h"
#include "ops/dispatch.h"
#include "ops/launch.h"

namespace minitorch::ops {
namespace {

void copy_on_device(const Array& a, const Array& out) {
  KernelLaunch launch("copy", out.dtype(), "copy");
  launch.line(base::text("using Source = ", kernel_type(a.dtype(), "copy"), ";"));
  launch.walk(a.shape(), {&out, &a});
  launch.add(out);
  launch.add(a);
  launch.add_shape();
  launch.add_strides(0);
  launch.add_strides(1);
  launch.add_index(a.size());
  launch.run_elementwise();
}

}  // namespace

void copy_into(const Array& a, const Array& out) {
  if (a.size() == 0) return;
  if (a.device() == Device::Cuda) return copy_on_device(a, out);
  visit_stored(a.dtype(), "copy", [&](auto from) {
    using From = typename decltype(from)::type;
    visit_stored(out.dtype(), "copy", [&](auto to) {
      using To = typename decltype(to)::type;
      cpu::copy<From, To>(a.shape(), host_input<From>(a), host_output<To>(out));
    });
  });
}

Array copy(const Array& a) {
  Array out = empty(a.shape(), a.dtype(), a.device());
  copy_into(a, out);
  return out;
}

Array contiguous(const Array& a) { return a.is_contiguous() ? a : copy(a); }

Array reshape(const Array& a, const Shape& shape) {
  const Shape known = infer_shape(shape, a.size(), "reshape");
  if (auto view = a.reshape(known)) return *view;
  return *copy(a).reshape(known);
}

Array cast(const Array& a, Dtype dtype) {
  if (a.dtype() == dtype) return a;
  Array out = empty(a.shape(), dtype, a.device());
  copy_into(a, out);
  return out;
}

}  // namespace minitorch::ops
