#include "ops/scan.h"

#include "ops/create.h"
#include "ops/dispatch.h"
#include "ops/launch.h"
#include "ops/layout.h"
#include "ops/widen.h"
#include "runtime/recorder.h"

namespace minitorch::ops {
namespace {

using cpu::Extreme;

/// The dtype that keeps the order of `dtype` and has loops.
Dtype ordered(Dtype dtype) {
  if (is_half(dtype)) return Dtype::Float32;
  return dtype == Dtype::Bool ? Dtype::UInt8 : dtype;
}

void arg_on_device(Extreme which, const Array& a, size_t d, const Array& out) {
  const Array kept = a.select(d, 0);
  KernelLaunch launch("arg_reduce", a.dtype());
  launch.line(base::text("constexpr int TILE = ", kThreads, ";"));
  launch.line(
      base::text("struct Better {\n  __device__ bool operator()(Scalar a, Scalar "
                 "b) const { return a ",
                 which == Extreme::Largest ? ">" : "<", " b; }\n};"));
  launch.walk(kept.shape(), {&kept});
  launch.reach(a);
  launch.add(out);
  launch.add(kept);
  launch.add_shape();
  launch.add_strides(0);
  launch.add_index(a.shape()[d]);
  launch.add_index(a.strides()[d]);
  launch.run({static_cast<uint32_t>(out.size())}, {kThreads});
}

void cumsum_on_device(const Array& a, size_t d, const Array& out) {
  const Array from = a.select(d, 0), to = out.select(d, 0);
  KernelLaunch launch("cumsum", a.dtype());
  launch.line(base::text("constexpr int TILE = ", kThreads, ";"));
  launch.walk(from.shape(), {&to, &from});
  launch.reach(a);
  launch.reach(out);
  launch.add(to);
  launch.add(from);
  launch.add_shape();
  launch.add_strides(0);
  launch.add_strides(1);
  launch.add_index(a.shape()[d]);
  launch.add_index(out.strides()[d]);
  launch.add_index(a.strides()[d]);
  launch.run({static_cast<uint32_t>(from.size())}, {kThreads});
}

}  // namespace

Array arg_extreme(Extreme which, const Array& a, int64_t dim) {
  const runtime::OpScope scope(which == Extreme::Largest ? "argmax" : "argmin", {&a});
  const char* where = which == Extreme::Largest ? "argmax" : "argmin";
  const size_t d = array::normalise_dim(dim, a.dims(), where);
  if (a.shape()[d] == 0) {
    throw base::ValueError(
        where, base::text("got shape ", base::tuple_text(a.shape()),
                          "; need at least one element along dim ", d, "."));
  }
  const Dtype dtype = ordered(a.dtype());
  if (dtype != a.dtype()) return arg_extreme(which, cast(a, dtype), dim);
  Shape shape = a.shape();
  shape[d] = 1;  // (…, n, …) -> (…, 1, …)
  Array out = empty(shape, Dtype::Int64, a.device());
  if (out.size() == 0) return out;
  if (a.device() == Device::Cuda) {
    arg_on_device(which, a, d, out);
    return out;
  }
  visit_number(dtype, where, [&](auto type) {
    using T = typename decltype(type)::type;
    cpu::arg_extreme<T>(which, a.shape(), d, host_input<T>(a), out.data<int64_t>());
  });
  return out;
}

Array cumsum(const Array& a, int64_t dim) {
  const runtime::OpScope scope("cumsum", {&a});
  const size_t d = array::normalise_dim(dim, a.dims(), "cumsum");
  if (is_half(a.dtype())) {
    return in_float32(a, [dim](const Array& wide) { return cumsum(wide, dim); });
  }
  if (!is_floating(a.dtype()) && a.dtype() != Dtype::Int64) {
    return cumsum(cast(a, Dtype::Int64), dim);
  }
  Array out = empty(a.shape(), a.dtype(), a.device());
  if (out.size() == 0) return out;
  if (a.device() == Device::Cuda) {
    cumsum_on_device(a, d, out);
    return out;
  }
  visit_number(a.dtype(), "cumsum", [&](auto type) {
    using T = typename decltype(type)::type;
    cpu::cumsum<T>(a.shape(), d, host_input<T>(a), host_output<T>(out));
  });
  return out;
}

}  // namespace minitorch::ops
