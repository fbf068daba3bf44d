// Owns the extent of a grid or block; no limits are checked here.
#pragma once

#include <cstdint>

namespace minitorch::base {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;

  uint64_t count() const { return uint64_t{x} * y * z; }
  friend bool operator==(const Dim3&, const Dim3&) = default;
};

}  // namespace minitorch::base
