#include "simt/observers/races/thread_orders.h"

#include <algorithm>
#include <atomic>

#include "simt/observers/races/access_history.h"

namespace minitorch::simt {
namespace {

uint64_t next_number() {
  static std::atomic<uint64_t> last = 0;
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

struct Question {
  uint64_t block;
  const RaceThread& by;
  Epoch epoch;
  bool shared;
  uint64_t number = next_number();

  bool within(Bound bound) const { return reaches(bound, epoch, shared); }
  bool answered_by(const Published& entry) const {
    if (within(entry.full) || epoch == entry.write[shared ? 1 : 0]) return true;
    if (entry.warp == by.warp) {
      if (entry.lane == by.lane && within(entry.own)) return true;
      if (within(entry.synced)) return true;
    }
    if (entry.clock && within((*entry.clock)[by.warp * kLanes + by.lane])) return true;
    return !entry.warps.empty() && within(entry.warps[by.warp]);
  }
  bool answered_by(const LogView& view) {
    Log::Looked& looked = view.log->looked[view.block_only ? 1 : 0];
    if (looked.question == number && looked.length >= view.length) return false;
    looked = {number, view.length};
    const Log& log = *view.log;
    const auto own = log.by_block.find(by.block);
    if (own != log.by_block.end()) {
      const auto& indices = own->second;
      auto at = std::lower_bound(indices.begin(), indices.end(), view.length);
      while (at != indices.begin()) {
        const Published& entry = log.entries[*--at];
        const bool reaches =
            entry.block == block || !(entry.block_only || view.block_only);
        if (reaches && answered_by(entry)) return true;
      }
    }
    for (const uint32_t index : log.with_others) {
      if (index >= view.length) break;
      const Published& entry = log.entries[index];
      if (entry.block != block && (entry.block_only || view.block_only)) continue;
      for (const LogView& other : entry.others) {
        if (answered_by(other)) return true;
      }
    }
    return false;
  }
};

}  // namespace

void Log::add(Published entry) {
  const auto index = static_cast<uint32_t>(entries.size());
  by_block[entry.block].push_back(index);
  // What came through this log is in it.
  std::erase_if(entry.others,
                [&](const LogView& view) { return view.log.get() == this; });
  if (!entry.others.empty()) with_others.push_back(index);
  entries.push_back(std::move(entry));
}

void join_views(LogViews& to, const LogViews& from, bool block_only) {
  for (const LogView& view : from) {
    const bool narrow = view.block_only || block_only;
    const auto same = std::find_if(to.begin(), to.end(), [&](const LogView& known) {
      return known.log == view.log && known.block_only == narrow;
    });
    if (same == to.end()) {
      to.push_back({view.log, view.length, narrow});
    } else {
      same->length = std::max(same->length, view.length);
    }
  }
}

bool views_cover(const LogViews& views, uint64_t block, const RaceThread& by,
                 Epoch epoch, bool shared) {
  Question question{block, by, epoch, shared};
  for (const LogView& view : views) {
    if (question.answered_by(view)) return true;
  }
  return false;
}

}  // namespace minitorch::simt
