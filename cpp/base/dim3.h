// The extent of a grid or block; no limits are checked here.
#pragma once

#include <array>
#include <cstdint>

namespace minitorch::base {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;

  static Dim3 of(const std::array<uint32_t, 3>& extent) {
    return {extent[0], extent[1], extent[2]};
  }
  uint64_t count() const { return uint64_t{x} * y * z; }
  friend bool operator==(const Dim3&, const Dim3&) = default;
};

}  // namespace minitorch::base
