#include "ops/random.h"

#include <mutex>
#include <optional>

#include "base/error.h"
#include "cpu/random.h"
#include "ops/create.h"
#include "ops/dispatch.h"
#include "ops/launch.h"
#include "ops/layout.h"
#include "ops/widen.h"
#include "runtime/capture.h"
#include "runtime/recorder.h"

namespace minitorch::ops {
namespace {

std::mutex mutex;
uint64_t seed = 0, next_block = 0;

/// What is drawn for a graph: where its kernels begin, and the blocks they take.
struct Captured {
  Array place;
  int64_t blocks = 0;
};
thread_local std::optional<Captured> captured;

/// A part of the random numbers that nobody else gets; with a place it is counted from
/// what stands there.
struct Stream {
  uint64_t seed, first;
  Array place = {};
};

int64_t blocks_of(int64_t count) {
  return (count + cpu::kPerBlock - 1) / cpu::kPerBlock;
}

Stream take_blocks(int64_t blocks) {
  std::lock_guard lock(mutex);
  const Stream stream{seed, next_block};
  next_block += static_cast<uint64_t>(blocks);
  return stream;
}

Stream take(int64_t count, Device device) {
  const int64_t blocks = blocks_of(count);
  // What a capture that failed left behind does not count.
  if (device == Device::Cpu || !captured || !runtime::capturing())
    return take_blocks(blocks);
  const auto first = static_cast<uint64_t>(captured->blocks);
  captured->blocks += blocks;
  return {0, first, captured->place};
}

void add(KernelLaunch& launch, const Stream& stream) {
  launch.add_value(stream.seed);
  launch.add_value(stream.first);
  launch.add_optional(stream.place);
}

/// One thread for each block of random numbers.
void run(KernelLaunch& launch, int64_t count) {
  const auto pairs = static_cast<uint64_t>(blocks_of(count));
  launch.run({static_cast<uint32_t>((pairs + kThreads - 1) / kThreads)}, {kThreads});
}

enum class Law { Uniform, Normal };

Array draw_on_device(Law law, const Shape& shape, Dtype dtype) {
  const Array out = empty(shape, dtype, Device::Cuda);
  if (out.size() == 0) return out;
  KernelLaunch launch("random", dtype);
  launch.flag("NORMAL", law == Law::Normal);
  launch.reach(out);
  launch.add(out);
  add(launch, take(out.size(), Device::Cuda));
  launch.add_index(out.size());
  run(launch, out.size());
  return out;
}

/// Numbers are drawn in float64 and rounded, so that dtypes agree as devices do.
Array draw(Law law, const Shape& shape, Dtype dtype, Device device, const char* where) {
  if (!is_floating(dtype)) refuse_dtype(where, dtype, "float32 or float64");
  if (device == Device::Cuda) return draw_on_device(law, shape, dtype);
  Array out = empty(shape, Dtype::Float64, Device::Cpu);
  const Stream stream = take(out.size(), Device::Cpu);
  const auto fill = law == Law::Normal ? cpu::fill_normal : cpu::fill_uniform;
  fill(stream.seed, stream.first, out.data<double>(), out.size());
  return cast(out, dtype);
}

void mask_on_device(const Array& out, double rate, double kept) {
  KernelLaunch launch("dropout_mask", out.dtype());
  launch.reach(out);
  launch.add(out);
  add(launch, take(out.size(), Device::Cuda));
  launch.add_value(rate);
  launch.add_scalar(kept);
  launch.add_index(out.size());
  run(launch, out.size());
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
  return draw(Law::Uniform, shape, dtype, device, "rand");
}

Array randn(const Shape& shape, Dtype dtype, Device device) {
  const runtime::OpScope scope("randn");
  return draw(Law::Normal, shape, dtype, device, "randn");
}

void begin_captured_random(const Array& place) {
  if (place.device() != Device::Cuda || place.dtype() != Dtype::Int64 ||
      place.shape() != Shape{2} || !place.is_contiguous()) {
    throw base::ValueError(
        "random",
        base::text("got a place of ", base::tuple_text(place.shape()), " ",
                   dtype_name(place.dtype()), " on ", device_name(place.device()),
                   "; need (2,) of int64 on cuda."));
  }
  captured = Captured{place};
}

int64_t end_captured_random() {
  if (!captured) throw base::StateError("random", "got no capture; need its begin.");
  const int64_t blocks = captured->blocks;
  captured.reset();
  return blocks;
}

void place_random(const Array& place, int64_t blocks) {
  const runtime::OpScope scope("place_random");
  const Stream stream = take_blocks(blocks);
  fill(place.slice(0, 0, 1, 1), Number{static_cast<int64_t>(stream.seed)});
  fill(place.slice(0, 1, 2, 1), Number{static_cast<int64_t>(stream.first)});
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
  const Array numbers = draw(Law::Uniform, shape, Dtype::Float64, device, "dropout");
  visit_real(real, "dropout", [&](auto type) {
    using T = typename decltype(type)::type;
    const double* number = numbers.data<double>();
    for (int64_t i = 0; i < out.size(); ++i)
      out.data<T>()[i] = number[i] < rate ? T(0) : static_cast<T>(kept);
  });
  return cast(out, dtype);
}

}  // namespace minitorch::ops
