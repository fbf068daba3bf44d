// What the phases of a block's mbarriers make known from thread to thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "simt/observers/races/epoch.h"
#include "simt/observers/races/thread_orders.h"

namespace minitorch::simt {

/// One mbarrier: what arrivals bring, and what who finds its last phase over may take.
/// A later phase brings what the ones before it brought.
struct PhaseOrder {
  Epoch begun = 0;  // the write that initialised it; 0: long before
  Clock gathered;
  ClockView joined;  // that `gathered` holds already
  LogViews views;
  ClockView over;  // null: no phase is over yet
  LogViews views_over;
};

void join(Clock& to, const Clock& from);

struct PhaseOrders {
  explicit PhaseOrders(size_t threads) : known(threads), waited(threads) {}

  std::map<uint32_t, PhaseOrder> phases;  // by offset in shared memory
  /// By thread: what it knows; what it will know at its next fence.
  std::vector<ClockView> known, waited;
  std::map<uint32_t, ClockView> arrived;  // at barriers of some warps

  ClockView merge(const ClockView& a, const ClockView& b);
  bool covers(uint32_t thread, uint32_t by, Epoch epoch, bool shared) const {
    return known[thread] && reaches((*known[thread])[by], epoch, shared);
  }
  /// All threads of the block have met.
  void forget_known();
  /// The numbers of accesses to shared memory begin again.
  void forget_shared();

 private:
  ClockView merged_from_[2], merged_;
};

}  // namespace minitorch::simt
