// Owns the process-wide random state and random arrays, equal on all devices.
#include "ops/random.h"

#include <mutex>

#include "cpu/random.h"
#include "ops/create.h"
#include "ops/dispatch.h"
#include "ops/layout.h"
#include "ops/transfer.h"

namespace minitorch::ops {
namespace {

std::mutex mutex;
uint64_t seed = 0, next_block = 0;

using Fill = void (*)(uint64_t, uint64_t, double*, int64_t);

/// Numbers are drawn in float64 and rounded, so that dtypes agree as devices do.
Array draw(Fill fill, const Shape& shape, Dtype dtype, Device device,
           const char* where) {
  if (!is_floating(dtype)) refuse_dtype(where, dtype, "float32 or float64");
  Array out = empty(shape, Dtype::Float64, Device::Cpu);
  uint64_t of_seed, first;
  {
    std::lock_guard lock(mutex);
    of_seed = seed;
    first = next_block;
    next_block +=
        static_cast<uint64_t>((out.size() + cpu::kPerBlock - 1) / cpu::kPerBlock);
  }
  fill(of_seed, first, out.data<double>(), out.size());
  return to_device(cast(out, dtype), device);
}

}  // namespace

void manual_seed(uint64_t value) {
  std::lock_guard lock(mutex);
  seed = value;
  next_block = 0;
}

Array rand(const Shape& shape, Dtype dtype, Device device) {
  return draw(cpu::fill_uniform, shape, dtype, device, "rand");
}

Array randn(const Shape& shape, Dtype dtype, Device device) {
  return draw(cpu::fill_normal, shape, dtype, device, "randn");
}

}  // namespace minitorch::ops
