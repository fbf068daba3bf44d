#include "cpu/random.h"

#include <cmath>
#include <numbers>

#include "base/loop_watch.h"
#include "base/thread_pool.h"

namespace minitorch::cpu {
namespace {

constexpr uint64_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
constexpr uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
constexpr size_t kDrawGrain = 16384;

/// The upper 53 of 64 bits as a fraction of 1.
double unit(uint32_t high, uint32_t low) {
  const uint64_t bits = (uint64_t{high} << 32 | low) >> 11;
  return static_cast<double>(bits) * 0x1.0p-53;
}

/// Calls `pair(a, b, out)` for each block; `out` has room for two values.
template <class Pair>
void fill(uint64_t seed, uint64_t first, double* out, int64_t count, Pair pair) {
  const auto blocks = static_cast<size_t>((count + kPerBlock - 1) / kPerBlock);
  base::shared_pool().parallel_for(blocks, kDrawGrain, [=](size_t begin, size_t end) {
    for (size_t block = begin; block < end; ++block) {
      const auto words = philox(seed, first + block);
      double values[2];
      pair(unit(words[0], words[1]), unit(words[2], words[3]), values);
      const auto at = static_cast<int64_t>(block) * kPerBlock;
      out[at] = values[0];
      if (at + 1 < count) out[at + 1] = values[1];
    }
  });
}

}  // namespace

std::array<uint32_t, 4> philox(uint64_t seed, uint64_t counter) {
  std::array<uint32_t, 4> c = {static_cast<uint32_t>(counter),
                               static_cast<uint32_t>(counter >> 32), 0, 0};
  auto key0 = static_cast<uint32_t>(seed), key1 = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = kMultiplier0 * c[0], p1 = kMultiplier1 * c[2];
    c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ key0, static_cast<uint32_t>(p1),
         static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ key1, static_cast<uint32_t>(p0)};
    key0 += kWeyl0;
    key1 += kWeyl1;
  }
  return c;
}

void fill_uniform(uint64_t seed, uint64_t first, double* out, int64_t count) {
  const base::HostLoop loop("fill_uniform");
  fill(seed, first, out, count, [](double a, double b, double* values) {
    values[0] = a;
    values[1] = b;
  });
}

void fill_normal(uint64_t seed, uint64_t first, double* out, int64_t count) {
  const base::HostLoop loop("fill_normal");
  fill(seed, first, out, count, [](double a, double b, double* values) {
    const double radius = std::sqrt(-2 * std::log(1 - a));  // 1 - a is in (0, 1]
    const double angle = 2 * std::numbers::pi * b;
    values[0] = radius * std::cos(angle);
    values[1] = radius * std::sin(angle);
  });
}

}  // namespace minitorch::cpu
