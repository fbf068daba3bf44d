#include "ops/create.h"

#include "cpu/copy.h"
#include "ops/dispatch.h"
#include "ops/launch.h"
#include "ops/layout.h"
#include "runtime/recorder.h"

namespace minitorch::ops {

Array empty(const Shape& shape, Dtype dtype, Device device) {
  constexpr size_t kMaxBytes = size_t{1} << 62;  // beyond any memory, far from wrapping
  const auto count = static_cast<size_t>(element_count(shape, "tensor"));
  if (count > kMaxBytes / size_of(dtype)) {
    throw base::ValueError(
        "tensor", base::text("got shape ", base::tuple_text(shape), " of ",
                             dtype_name(dtype), "; need at most 2**62 bytes."));
  }
  const size_t bytes = count * size_of(dtype);
  if (device == Device::Cuda) return Array(dtype, shape, device_storage(bytes));
  return Array(dtype, shape, array::Storage::host(bytes));
}

namespace {

void fill_on_device(const Array& out, Number value) {
  KernelLaunch launch("fill", out.dtype());
  launch.walk(out.shape(), {&out});
  launch.add(out);
  launch.add_shape();
  launch.add_strides(0);
  launch.add_index(out.size());
  launch.add_scalar(value);
  launch.run_elementwise();
}

Array arange_on_device(Number start, Number step, int64_t count, Dtype dtype) {
  const Array out = empty(Shape{count}, dtype, Device::Cuda);
  if (count == 0) return out;
  const bool real = is_floating(dtype);
  KernelLaunch launch("arange", dtype);
  launch.line(real ? "using Working = double;" : "using Working = unsigned long long;");
  launch.option("--fmad=false");  // rounded as the host rounds
  launch.walk(out.shape(), {&out});
  launch.add(out);
  for (const Number& number : {start, step}) {
    if (real) {
      launch.add_value(number.as<double>());
    } else {
      launch.add_value(number.as<uint64_t>());
    }
  }
  launch.add_index(count);
  launch.run_elementwise();
  return out;
}

}  // namespace

Array full(const Shape& shape, Number value, Dtype dtype, Device device) {
  const runtime::OpScope scope("full");
  Array out = empty(shape, dtype, device);
  fill(out, value);
  return out;
}

void fill(const Array& out, Number value) {
  if (out.size() == 0) return;
  const runtime::OpScope scope("fill", {&out});
  if (out.device() == Device::Cuda) return fill_on_device(out, value);
  if (!out.is_contiguous()) {
    const Array one = full(Shape{}, value, out.dtype(), Device::Cpu);
    return copy_into(one.expand(out.shape()), out);
  }
  visit_stored(out.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    cpu::fill(out.data<T>(), out.size(), value.as<T>());
  });
}

Array arange(Number start, Number step, int64_t count, Dtype dtype, Device device) {
  const runtime::OpScope scope("arange");
  if (dtype == Dtype::Bool || is_half(dtype)) {
    const Dtype wide = dtype == Dtype::Bool ? Dtype::Int64 : Dtype::Float64;
    return cast(arange(start, step, count, wide, device), dtype);
  }
  if (device == Device::Cuda) return arange_on_device(start, step, count, dtype);
  Array out = empty(Shape{count}, dtype, Device::Cpu);
  visit_number(dtype, "arange", [&](auto type) {
    using T = typename decltype(type)::type;
    // Unsigned or in double, so that nothing overflows and no rounding adds up.
    using Wide = std::conditional_t<std::is_floating_point_v<T>, double, uint64_t>;
    const Wide first = start.as<Wide>(), by = step.as<Wide>();
    for (int64_t i = 0; i < count; ++i) {
      out.data<T>()[i] = static_cast<T>(first + static_cast<Wide>(i) * by);
    }
  });
  return out;
}

}  // namespace minitorch::ops
