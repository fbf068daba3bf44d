// Owns which allocations a launch may store to at all, by what its addresses are
// derived from. Must not know who asks.
#include "emulator/observers/initialised/initialised.h"

#include <algorithm>
#include <utility>

#include "emulator/bounds.h"
#include "emulator/launch_state.h"
#include "emulator/replay.h"

namespace minitorch::emulator {

const ObserverRow kInitialisedRow = {
    MtCheck_UninitGlobal, false,
    [](const LaunchState& launch) -> std::unique_ptr<Observer> {
      return std::make_unique<Initialised>(launch);
    },
    nullptr};

void Initialised::find_stored() {
  const AllocationTable& table = *launch_.table;
  stores_anywhere_ = launch_.entry().function->uses_calls;
  for (const FunctionCode& code : launch_.program->functions) {
    for (const MemoryForm& form : code.accesses) {
      const bool elsewhere =
          form.space == ptx::Space::Shared || form.space == ptx::Space::Local;
      if (form.kind == MemoryForm::Kind::Load || elsewhere) continue;
      const Allocation* meant = meant_allocation(launch_, table, form);
      // An access may go on where memory that adjoins begins.
      if (meant == nullptr || table.find(meant->end()) || table.find(meant->base - 1)) {
        stores_anywhere_ = true;
        return;
      }
      stored_.push_back({meant->base, meant->end()});
    }
  }
}

bool Initialised::is_only_read(uint64_t low, uint64_t high) {
  if (!std::exchange(searched_, true)) find_stored();
  if (stores_anywhere_) return false;
  return std::all_of(stored_.begin(), stored_.end(), [&](const Range& range) {
    return range.high <= low || high <= range.low;
  });
}

ReplayPolicy Initialised::learn(const Replay& replay) {
  return replay.loads_only_written() ? ReplayPolicy::Unseen : ReplayPolicy::Never;
}

}  // namespace minitorch::emulator
