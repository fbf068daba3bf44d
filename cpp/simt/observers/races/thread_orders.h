// What fences and flags have made known from thread to thread: release, observe,
// acquire.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "simt/observers/races/epoch.h"

namespace minitorch::simt {

struct RaceThread;
struct Log;

/// The first entries of a log: what whoever read its location then may learn.
struct LogView {
  std::shared_ptr<Log> log;
  size_t length = 0;
  bool block_only = false;  // only what threads of the own block have published
};
using LogViews = std::vector<LogView>;

/// By thread of a block: all its accesses up to there.
using Clock = std::vector<Bound>;
using ClockView = std::shared_ptr<const Clock>;

/// What one thread knew at a fence, with the write that published it.
struct Published {
  uint64_t block = 0;
  uint32_t warp = 0, lane = 0;
  Bound own, synced, full;   // its accesses, its warp's, its block's
  std::vector<Bound> warps;  // of barriers of some warps; may be empty
  LogViews others;           // what it had learnt before
  ClockView clock;           // by mbarriers of its block; may be null
  bool block_only = false;   // of block scope
  Epoch write[2] = {0, 0};   // the publishing write itself: global, shared
};

/// What was published by the writes to one location that a reader may have observed
/// together: a store and the atomics on top of it.
struct Log {
  std::vector<Published> entries;
  std::unordered_map<uint64_t, std::vector<uint32_t>> by_block;
  std::vector<uint32_t> with_others;

  void add(Published entry);

  /// How far the latest question has looked, through views of all entries and through
  /// those of the own block only.
  struct Looked {
    uint64_t question = 0;
    size_t length = 0;
  };
  Looked looked[2];
};

/// Adds views, each log once.
void join_views(LogViews& to, const LogViews& from, bool block_only = false);

/// Whether the access `epoch` of `by` is known to a thread of `block` through `views`.
bool views_cover(const LogViews& views, uint64_t block, const RaceThread& by,
                 Epoch epoch, bool shared);

struct ThreadOrder {
  bool fenced[2] = {};  // [1]: by a fence of block scope
  bool fresh = false;   // fenced since the last barrier of the block
  Published fence[2];   // what it knew at its last fence
  LogViews seen;        // read, but no fence since
  LogViews known;       // read, and a fence since
};

/// The threads of a block that have used fences or flags.
struct ThreadOrders {
  std::unordered_map<uint32_t, ThreadOrder> threads;  // by number in the block
  bool fresh = false;                                 // some thread has a fresh fence
  std::shared_ptr<Log> fenced;  // what threads had fenced when they met at a barrier
  LogViews whole;               // known to all threads
  std::unordered_map<uint32_t, LogViews> arrived;           // at barriers of some warps
  std::unordered_map<uint64_t, std::shared_ptr<Log>> logs;  // of shared memory
};

}  // namespace minitorch::simt
