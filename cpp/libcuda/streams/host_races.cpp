#include "libcuda/streams/host_races.h"

#include <algorithm>
#include <utility>

#include "libcuda/streams/host_race_finding.h"

namespace minitorch::libcuda {
namespace {

/// Whether a kernel talks to the host, or others, through memory that the host sees:
/// then the host may know how far it is.
bool signals_host(const MemoryUse& use) {
  if (!use.of_kernel()) return false;
  const auto table = use.user.memory->table();
  for (const Allocation& allocation : table->all()) {
    if (allocation.kind != Allocation::Kind::Host) continue;
    for (const Use way : {Use::StrongWrite, Use::StrongRead}) {
      if (use.footprint.touches(way, allocation.base, allocation.end())) return true;
    }
  }
  return false;
}

bool covered(const Clock& clock, const Moment& moment) {
  return clock.at(moment.queue) >= moment.number;
}

}  // namespace

void HostRaces::queued(const std::shared_ptr<MemoryUse>& use, const Moment& moment) {
  std::lock_guard lock(mutex_);
  use->moment = moment;
  use->sequence = ++sequence_;
  use->blind = blind_;
  pending_.emplace(use->sequence, use.get());
}

bool HostRaces::is_race(const MemoryUse& earlier, const MemoryUse& later,
                        Overlap& overlap) {
  if (later.sequence - earlier.sequence > kWindow || later.ordered_with(earlier)) {
    return false;
  }
  overlap = find_conflict(earlier.footprint, later.footprint);
  if (overlap.size == 0) return false;
  const bool both_fence = earlier.user.fences && later.user.fences;
  if (both_fence && share_flag(earlier.footprint, later.footprint)) return false;
  return !signals_host(earlier) && !signals_host(later);
}

void HostRaces::done(const std::shared_ptr<MemoryUse>& use) {
  std::vector<Pair> found;
  {
    std::lock_guard lock(mutex_);
    use->done = true;
    pending_.erase(use->sequence);
    for (const auto& [begin, end] : use->forgotten) use->footprint.remove(begin, end);
    if (!use->blind && !use->footprint.empty()) {
      for (const auto& other : finished_) {
        const bool first = other->sequence < use->sequence;
        Pair pair{first ? other : use, first ? use : other, {}};
        if (is_race(*pair.earlier, *pair.later, pair.overlap)) found.push_back(pair);
      }
      if (covered(*host_, use->moment)) use->covered_at = sequence_;
      finished_.push_back(use);
    }
    prune();
  }
  for (const Pair& pair : found) report(pair);
}

void HostRaces::dropped(uint64_t sequence) {
  std::lock_guard lock(mutex_);
  pending_.erase(sequence);
}

void HostRaces::host_knows(const std::shared_ptr<const Clock>& known) {
  std::lock_guard lock(mutex_);
  if (host_ == known) return;
  host_ = known;
  for (const auto& use : finished_) {
    if (use->covered_at == 0 && covered(*known, use->moment)) {
      use->covered_at = sequence_;
    }
  }
  prune();
}

bool HostRaces::still_needed(const MemoryUse& use) const {
  const uint64_t low = use.sequence > kWindow ? use.sequence - kWindow : 0;
  const uint64_t last = use.sequence + kWindow;
  const bool open = use.covered_at == 0;  // what is yet to be queued may race with it
  const auto waiting = pending_.lower_bound(low);
  if (waiting != pending_.end() &&
      waiting->first <= (open ? last : std::min(last, use.covered_at))) {
    return true;
  }
  return open && sequence_ < last;
}

void HostRaces::prune() {
  std::erase_if(finished_, [&](const auto& use) { return !still_needed(*use); });
}

void HostRaces::lose_order() {
  std::lock_guard lock(mutex_);
  blind_ = true;
}

void HostRaces::find_order() {
  std::lock_guard lock(mutex_);
  blind_ = false;
}

void HostRaces::forget(uint64_t base, uint64_t bytes) {
  constexpr uint64_t kWord = 64;  // of footprints
  const uint64_t end = (base + bytes + kWord - 1) / kWord * kWord;
  std::lock_guard lock(mutex_);
  for (const auto& use : finished_) use->footprint.remove(base, end);
  for (const auto& [sequence, use] : pending_) use->forgotten.emplace_back(base, end);
}

bool HostRaces::remembers(uint64_t queue) {
  std::lock_guard lock(mutex_);
  const auto of_queue = [&](const auto& use) { return use->moment.queue == queue; };
  return std::any_of(finished_.begin(), finished_.end(), of_queue) ||
         std::any_of(pending_.begin(), pending_.end(),
                     [&](const auto& entry) { return of_queue(entry.second); });
}

void HostRaces::report(const Pair& pair) {
  const MemoryUse& told = told_user(*pair.earlier, *pair.later);
  const auto context = told.user.context.lock();
  if (context == nullptr) return;
  const MtFinding finding = host_race_finding(*pair.earlier, *pair.later, pair.overlap);
  context->add_race(finding, {pair.later->sequence, pair.earlier->sequence},
                    told.user.record);
}

HostRaces& host_races() {
  static auto* const made = new HostRaces;
  return *made;
}

}  // namespace minitorch::libcuda
