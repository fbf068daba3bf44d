// Owns which allocations a launch may store to at all, by what its addresses are
// derived from. Must not know stamps.
#include <algorithm>

#include "emulator/bounds.h"
#include "emulator/launch_state.h"
#include "emulator/observers/race_detector.h"

namespace minitorch::emulator {

void RaceDetector::find_written() {
  const AllocationTable& table = *launch_.table;
  writes_anywhere_ = launch_.entry().function->uses_calls;
  for (const FunctionCode& code : launch_.program->functions) {
    for (const MemoryForm& form : code.accesses) {
      const bool elsewhere =
          form.space == ptx::Space::Shared || form.space == ptx::Space::Local;
      if (form.kind == MemoryForm::Kind::Load || elsewhere) continue;
      const Allocation* meant = meant_allocation(launch_, table, form);
      // An access may go on where memory that adjoins begins.
      if (meant == nullptr || table.find(meant->end()) || table.find(meant->base - 1)) {
        writes_anywhere_ = true;
        return;
      }
      written_.push_back({meant->base, meant->end()});
    }
  }
}

bool RaceDetector::is_only_read(uint64_t low, uint64_t high) const {
  if (writes_anywhere_) return false;
  return std::all_of(written_.begin(), written_.end(), [&](const AllocationHit& range) {
    return range.high <= low || high <= range.low;
  });
}

}  // namespace minitorch::emulator
