#include "simt/observers/initialised/initialised.h"

#include <algorithm>
#include <utility>

#include "simt/run/replay.h"
#include "simt/warp/bounds.h"
#include "simt/warp/findings.h"
#include "simt/warp/launch_state.h"

namespace minitorch::simt {
namespace {

/// Whether a lane's load has bytes that nobody wrote and that count: not those of a
/// component that is only copied while others have been written.
bool reads_unwritten(Context& context, const Step* step, const MemoryForm& form,
                     uint64_t address) {
  const Memory& memory = *context.memory;
  if (memory.is_written(address, form.size())) return false;
  if (form.kind == MemoryForm::Kind::Atomic) return true;
  bool any = false;
  for (uint32_t i = 0; i < form.size(); ++i) any |= memory.is_written(address + i, 1);
  if (!any) return true;
  const uint32_t copied = copied_components(context, step);
  for (uint32_t k = 0; k < form.vector; ++k) {
    const bool written = memory.is_written(address + k * form.bytes, form.bytes);
    if (!written && !(copied >> k & 1)) return true;
  }
  return false;
}

}  // namespace

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

void report_uninitialised(Context& context, const Step* step) {
  const MemoryForm& form = context.frame->code->accesses[step->e];
  uint64_t times = 0;
  uint32_t first = 0;
  for (uint32_t left = context.mask; left; left &= left - 1) {
    const uint32_t lane = first_lane(left);
    const uint64_t address = lane_address(context, step, lane);
    if (!reads_unwritten(context, step, form, address)) continue;
    if (times++ == 0) first = lane;
  }
  if (times == 0) return;
  const uint64_t address = lane_address(context, step, first);
  context.findings->note(context,
                         record_access(context, step, MtFinding_UninitGlobal, first,
                                       MtSpace_Global, address),
                         times);
}

}  // namespace minitorch::simt
