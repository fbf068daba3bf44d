#include "ops/layout.h"

#include "cpu/copy.h"
#include "ops/create.h"
#include "ops/dispatch.h"
#include "ops/launch.h"
#include "runtime/recorder.h"

namespace minitorch::ops {
namespace {

void copy_on_device(const Array& a, const Array& out) {
  KernelLaunch launch("copy", out.dtype());
  launch.type("Source", a.dtype());
  launch.walk(a.shape(), {&out, &a});
  launch.add(out);
  launch.add(a);
  launch.add_shape();
  launch.add_strides(0);
  launch.add_strides(1);
  launch.add_index(a.size());
  launch.run_elementwise();
}

template <class From, class To>
void copy_as(const Array& a, const Array& out) {
  cpu::copy<From, To>(a.shape(), host_input<From>(a), host_output<To>(out));
}

/// The 16-bit floats have loops to and from float32, and from float64; what else there
/// is goes through these, which hold the values exactly.
void copy_on_host(const Array& a, const Array& out) {
  const Dtype from = a.dtype(), to = out.dtype();
  if (from == to) {
    return visit_size(size_of(to), [&](auto type) {
      using T = typename decltype(type)::type;
      copy_as<T, T>(a, out);
    });
  }
  if (is_half(from) && to != Dtype::Float32) {
    return copy_on_host(cast(a, Dtype::Float32), out);
  }
  if (is_half(to) && from != Dtype::Float32 && from != Dtype::Float64) {
    return copy_on_host(cast(a, Dtype::Float64), out);
  }
  visit_stored(from, [&](auto source) {
    using From = typename decltype(source)::type;
    visit_stored(to, [&](auto target) {
      using To = typename decltype(target)::type;
      if constexpr (cpu::kConverts<From, To>) copy_as<From, To>(a, out);
    });
  });
}

}  // namespace

void copy_into(const Array& a, const Array& out) {
  if (a.size() == 0) return;
  const runtime::OpScope scope("copy_into", {&a});
  if (a.device() == Device::Cuda) return copy_on_device(a, out);
  copy_on_host(a, out);
}

Array copy(const Array& a) {
  const runtime::OpScope scope("copy", {&a});
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
  const runtime::OpScope scope("cast", {&a});
  Array out = empty(a.shape(), dtype, a.device());
  copy_into(a, out);
  return out;
}

}  // namespace minitorch::ops
