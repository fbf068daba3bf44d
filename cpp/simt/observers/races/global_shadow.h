// The memory behind the shadow of global memory: mapped when first needed, kept from
// one launch to the next, since the epochs of earlier launches are simply old.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simt/observers/races/epoch.h"

namespace minitorch::simt {

/// Four arrays of `length` bytes each; all zero but for epochs below `next_number`'s.
struct GlobalShadow {
  Epoch* epochs = nullptr;
  size_t length = 0;
  uint32_t next_number = 0;
};

/// A shadow of at least `length` bytes an array, for one launch alone. Raises
/// base::MemoryError where the process may not map so much.
GlobalShadow take_global_shadow(size_t length);
/// Gives it back, with the number from which the next launch may count on.
void give_global_shadow(const GlobalShadow& shadow);

}  // namespace minitorch::simt
