// The search for races between operations of streams and of the host: the latest ones,
// and which pairs use the same bytes without an order. What it finds depends on the
// client's calls, not on when the operations ran.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "libcuda/streams/memory_use.h"

namespace minitorch::libcuda {

class HostRaces {
 public:
  /// How many operations that use memory may have been queued between the two of a
  /// pair that is looked at.
  static constexpr uint64_t kWindow = 256;

  /// All of these but `done` may be called with the lock of the queues held.

  /// `use` has been queued as part of the operation at `moment`.
  void queued(const std::shared_ptr<MemoryUse>& use, const Moment& moment);
  /// It has run, and its footprint is what it used.
  void done(const std::shared_ptr<MemoryUse>& use);
  void dropped(uint64_t sequence);
  /// All that is queued from now on comes after what `known` tells.
  void host_knows(const std::shared_ptr<const Clock>& known);
  /// From now on streams wait for values in memory: who is before whom is unknown.
  void lose_order();
  /// All that has been queued is over.
  void find_order();
  /// New memory: what was queued before is not compared with what comes.
  void forget(uint64_t base, uint64_t bytes);
  /// Whether anything of the queue with this id may still be compared.
  bool remembers(uint64_t queue);

 private:
  struct Pair {
    std::shared_ptr<MemoryUse> earlier, later;
    Overlap overlap;
  };

  static bool is_race(const MemoryUse& earlier, const MemoryUse& later,
                      Overlap& overlap);
  static void report(const Pair& pair);
  void prune();
  bool still_needed(const MemoryUse& use) const;

  std::mutex mutex_;
  uint64_t sequence_ = 0;
  std::map<uint64_t, MemoryUse*> pending_;  // by sequence number
  std::deque<std::shared_ptr<MemoryUse>> finished_;
  std::shared_ptr<const Clock> host_ = std::make_shared<const Clock>();
  bool blind_ = false;
};

/// The one of the process, which is never destroyed: streams may end after all else.
HostRaces& host_races();

}  // namespace minitorch::libcuda
