#include "ops/gather.h"

#include "cpu/gather.h"
#include "ops/check.h"
#include "ops/create.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/launch.h"
#include "ops/layout.h"
#include "ops/transfer.h"
#include "runtime/recorder.h"

namespace minitorch::ops {
namespace {

using base::text;
using base::tuple_text;

/// `a` cut to the extent of `index`, which spares the indexed dimension.
Array within(const Array& a, size_t dim, const Shape& extent, const char* where) {
  Array out = a;
  bool fits = a.dims() == extent.size();
  for (size_t d = 0; fits && d < a.dims(); ++d) {
    if (d == dim) continue;
    fits = extent[d] <= a.shape()[d];
    if (fits && extent[d] < a.shape()[d]) out = out.slice(d, 0, extent[d], 1);
  }
  if (!fits) {
    throw base::ValueError(
        where, text("got indices of shape ", tuple_text(extent), " for dim ", dim,
                    " of ", tuple_text(a.shape()),
                    "; need the same number of dimensions, and sizes that are not "
                    "larger in the other dimensions."));
  }
  return out;
}

/// `a` as it is walked beside `index`: the indexed dimension does not move it.
Array beside_index(const Array& a, size_t dim, const Shape& extent) {
  array::Strides strides = a.strides();
  strides[dim] = 0;
  return Array(a.dtype(), extent, strides, a.offset(), a.storage());
}

/// The longest dimension but `dim`, for threads to share.
size_t split_of(const Shape& shape, size_t dim) {
  size_t best = dim == 0 && shape.size() > 1 ? 1 : 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (d != dim && shape[d] > shape[best]) best = d;
  }
  return best;
}

void scatter_on_device(const Array& out, size_t dim, const Array& index,
                       const Array& source, bool add) {
  const Array flat = beside_index(out, dim, index.shape());
  KernelLaunch launch("scatter", out.dtype());
  launch.line(text("constexpr bool ADD = ", add ? "true;" : "false;"));
  launch.walk(index.shape(), {&flat, &source, &index});
  launch.reach(out);
  for (const Array* each : {&flat, &source, &index}) launch.add(*each);
  launch.add_shape();
  for (size_t i = 0; i < 3; ++i) launch.add_strides(i);
  launch.add_index(out.shape()[dim]);
  launch.add_index(out.strides()[dim]);
  launch.add_index(index.size());
  launch.run_elementwise();
}

void require_one_place(const Array& a, const Array& index, const Array& source) {
  require_one_device("scatter", a, index);
  require_one_device("scatter", a, source);
}

template <class T, bool kAdd>
void scatter_on_host(const Array& out, size_t d, const Array& index,
                     const Array& source) {
  const Array flat = beside_index(out, d, index.shape());
  const cpu::Indexed along{out.shape()[d], out.strides()[d]};
  // With one dimension there is nothing to share: its cells may meet.
  const bool alone = index.dims() < 2;
  const Shape shape = alone ? Shape{1, index.size()} : index.shape();
  auto two = [&](const Array& a) { return alone ? a.unsqueeze(0) : a; };
  const Array from = two(source), at = two(index), to = two(flat);
  const size_t split = alone ? 0 : split_of(shape, d);
  if constexpr (kAdd) {
    cpu::scatter_add<T>(shape, split, host_input<T>(from), host_input<int64_t>(at),
                        host_output<T>(to), along);
  } else {
    cpu::scatter<T>(shape, split, host_input<T>(from), host_input<int64_t>(at),
                    host_output<T>(to), along);
  }
}

}  // namespace

Array checked_index(const Array& index, int64_t size, const char* where) {
  const runtime::OpScope scope("checked_index", {&index});
  return checked_numbers(Numbers::Index, index, size, where);
}

Array gather(const Array& a, int64_t dim, const Array& index) {
  const runtime::OpScope scope("gather", {&a, &index});
  const size_t d = array::normalise_dim(dim, a.dims(), "gather");
  require_one_device("gather", a, index);
  const Array source = within(a, d, index.shape(), "gather");
  Array out = empty(index.shape(), a.dtype(), a.device());
  if (out.size() == 0) return out;
  const Array flat = beside_index(source, d, index.shape());
  if (a.device() == Device::Cpu) {
    visit_size(size_of(a.dtype()), [&](auto type) {
      using T = typename decltype(type)::type;
      cpu::gather<T>(index.shape(), host_input<T>(flat), {a.shape()[d], a.strides()[d]},
                     host_input<int64_t>(index), host_output<T>(out));
    });
    return out;
  }
  KernelLaunch launch("gather", a.dtype());
  launch.walk(index.shape(), {&flat, &index});
  launch.reach(a);
  launch.add(out);
  launch.add(flat);
  launch.add(index);
  launch.add_shape();
  for (size_t i = 0; i < 2; ++i) launch.add_strides(i);
  launch.add_index(a.shape()[d]);
  launch.add_index(a.strides()[d]);
  launch.add_index(out.size());
  launch.run_elementwise();
  return out;
}

Array scatter(const Array& a, int64_t dim, const Array& index, const Array& source) {
  const runtime::OpScope scope("scatter", {&a, &index, &source});
  const size_t d = array::normalise_dim(dim, a.dims(), "scatter");
  require_one_place(a, index, source);
  const Array out = copy(a), target = within(out, d, index.shape(), "scatter");
  if (index.size() == 0) return out;
  if (a.device() == Device::Cuda) {
    scatter_on_device(target, d, index, source, false);
    return out;
  }
  visit_size(size_of(a.dtype()), [&](auto type) {
    using T = typename decltype(type)::type;
    scatter_on_host<T, false>(target, d, index, source);
  });
  return out;
}

Array scatter_add(const Array& a, int64_t dim, const Array& index,
                  const Array& source) {
  const runtime::OpScope scope("scatter_add", {&a, &index, &source});
  const size_t d = array::normalise_dim(dim, a.dims(), "scatter_add");
  require_one_place(a, index, source);
  const Dtype dtype = a.dtype();
  if (dtype == Dtype::Bool) refuse_dtype("scatter_add", dtype, "a number");
  const bool bytes = dtype == Dtype::UInt8 && a.device() == Device::Cuda;
  if (is_half(dtype) || bytes) {  // atomics have no such types
    const Dtype wide = bytes ? Dtype::Int32 : Dtype::Float32;
    return cast(scatter_add(cast(a, wide), dim, index, cast(source, wide)), dtype);
  }
  const Array out = copy(a), target = within(out, d, index.shape(), "scatter_add");
  if (index.size() == 0) return out;
  if (a.device() == Device::Cuda) {
    scatter_on_device(target, d, index, source, true);
    return out;
  }
  visit_number(dtype, "scatter_add", [&](auto type) {
    using T = typename decltype(type)::type;
    scatter_on_host<T, true>(target, d, index, source);
  });
  return out;
}

Array nonzero(const Array& a) {
  const runtime::OpScope scope("nonzero", {&a});
  const Array truth = contiguous(to_device(cast(a, Dtype::Bool), Device::Cpu));
  const bool* element = truth.data<bool>();
  int64_t count = 0;
  for (int64_t i = 0; i < truth.size(); ++i) count += element[i];
  const auto dims = static_cast<int64_t>(a.dims());
  const Array out = empty(Shape{count, dims}, Dtype::Int64, Device::Cpu);
  int64_t* next = out.data<int64_t>();
  for (int64_t i = 0; i < truth.size(); ++i) {
    if (!element[i]) continue;
    int64_t rest = i;
    for (int64_t d = dims; d-- > 0;) {
      const int64_t size = a.shape()[static_cast<size_t>(d)];
      next[d] = rest % size;
      rest /= size;
    }
    next += dims;
  }
  return to_device(out, a.device());
}

}  // namespace minitorch::ops
