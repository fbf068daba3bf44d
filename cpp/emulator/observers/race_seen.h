// Owns what the check of one lane's access knows of it. Must not know the rules.
#pragma once

#include "emulator/observers/race_detector.h"

namespace minitorch::emulator {

struct RaceSeen {
  Context& context;
  const RaceTouch& touch;
  RaceShadow& shadow;
  uint32_t lane;

  Stamp stamp() const { return touch.first + lane; }
  uint64_t address() const { return touch.address[lane]; }
  uint64_t address_of(uint64_t cell) const {
    return shadow.origin + (cell << shadow.cell_shift);
  }
};

/// Atomics, volatile and relaxed accesses: those that the memory model orders.
inline bool is_strong(const MemoryForm& form) {
  return form.kind == MemoryForm::Kind::Atomic || form.ordered;
}

}  // namespace minitorch::emulator
