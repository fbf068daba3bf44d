// Owns the process-wide random state and random arrays, equal on all devices.
#include "ops/random.h"

#include <mutex>

#include "cpu/random.h"
#include "ops/create.h"
#include "ops/dispatch.h"
#include "ops/launch.h"
#include "ops/layout.h"
#include "ops/transfer.h"
#include "ops/widen.h"
#include "runtime/recorder.h"

namespace minitorch::ops {
namespace {

std::mutex mutex;
uint64_t seed = 0, next_block = 0;

/// A part of the random numbers that nobody else gets.
struct Stream {
  uint64_t seed, first;
};

int64_t blocks_of(int64_t count) {
  return (count + cpu::kPerBlock - 1) / cpu::kPerBlock;
}

Stream take(int64_t count) {
  std::lock_guard lock(mutex);
  const Stream stream{seed, next_block};
  next_block += static_cast<uint64_t>(blocks_of(count));
  return stream;
}

using Fill = void (*)(uint64_t, uint64_t, double*, int64_t);

/// Numbers are drawn in float64 and rounded, so that dtypes agree as devices do.
Array draw(Fill fill, const Shape& shape, Dtype dtype, Device device,
           const char* where) {
  if (!is_floating(dtype)) refuse_dtype(where, dtype, "float32 or float64");
  Array out = empty(shape, Dtype::Float64, Device::Cpu);
  const Stream stream = take(out.size());
  fill(stream.seed, stream.first, out.data<double>(), out.size());
  return to_device(cast(out, dtype), device);
}

void mask_on_device(const Array& out, double rate, double kept) {
  const Stream stream = take(out.size());
  KernelLaunch launch("dropout_mask", out.dtype());
  launch.reach(out);
  launch.add(out);
  launch.add_value(stream.seed);
  launch.add_value(stream.first);
  launch.add_value(rate);
  launch.add_scalar(kept);
  launch.add_index(out.size());
  const auto pairs = static_cast<uint64_t>(blocks_of(out.size()));
  launch.run({static_cast<uint32_t>((pairs + kThreads - 1) / kThreads)}, {kThreads});
}

}  // namespace

void manual_seed(uint64_t value) {
  std::lock_guard lock(mutex);
  seed = value;
  next_block = 0;
}

RandomState random_state() {
  std::lock_guard lock(mutex);
  return {seed, next_block};
}

void set_random_state(const RandomState& state) {
  std::lock_guard lock(mutex);
  seed = state.seed;
  next_block = state.drawn;
}

Array rand(const Shape& shape, Dtype dtype, Device device) {
  const runtime::OpScope scope("rand");
  return draw(cpu::fill_uniform, shape, dtype, device, "rand");
}

Array randn(const Shape& shape, Dtype dtype, Device device) {
  const runtime::OpScope scope("randn");
  return draw(cpu::fill_normal, shape, dtype, device, "randn");
}

Array dropout_mask(const Shape& shape, double rate, Dtype dtype, Device device) {
  const runtime::OpScope scope("dropout_mask");
  if (!(rate >= 0 && rate <= 1)) {
    throw base::ValueError("dropout",
                           base::text("got probability ", rate, "; need 0 to 1."));
  }
  if (!is_floating(dtype)) refuse_dtype("dropout", dtype, "a floating dtype");
  const double kept = rate < 1 ? 1 / (1 - rate) : 0;
  const Dtype real = computed_in(dtype);
  Array out = empty(shape, real, device);
  if (out.size() == 0) return cast(out, dtype);
  if (device == Device::Cuda) {
    mask_on_device(out, rate, kept);
    return cast(out, dtype);
  }
  const Array numbers =
      draw(cpu::fill_uniform, shape, Dtype::Float64, device, "dropout");
  visit_real(real, "dropout", [&](auto type) {
    using T = typename decltype(type)::type;
    const double* number = numbers.data<double>();
    for (int64_t i = 0; i < out.size(); ++i)
      out.data<T>()[i] = number[i] < rate ? T(0) : static_cast<T>(kept);
  });
  return cast(out, dtype);
}

}  // namespace minitorch::ops
