// Owns the edges between threads that fences and strong accesses make: a fence before a
// write publishes, a fence behind a read that observed it learns. A barrier of the
// block counts as the fence behind the read, as in the programming guide's own
// examples. Must not know what a race is.
#include "emulator/observers/races/thread_orders.h"

#include <algorithm>
#include <atomic>

#include "emulator/observers/races/race_detector.h"

namespace minitorch::emulator {
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

bool releases(const MemoryForm& form) {
  return form.order == ptx::Order::Release || form.order >= ptx::Order::AcqRel;
}
bool acquires(const MemoryForm& form) {
  return form.order == ptx::Order::Acquire || form.order >= ptx::Order::AcqRel;
}

uint64_t row_value(const Context& context, uint32_t row, uint32_t bytes,
                   uint32_t lane) {
  const uint8_t* const at = context.registers + row;
  return bytes == 8 ? reinterpret_cast<const uint64_t*>(at)[lane]
                    : reinterpret_cast<const uint32_t*>(at)[lane];
}

uint64_t memory_value(const Context& context, const RaceTouch& touch,
                      uint64_t address) {
  const uint8_t* const from = touch.shared ? context.shared + address
                                           : reinterpret_cast<const uint8_t*>(address);
  uint64_t value = 0;
  for (uint32_t i = 0; i < touch.form->bytes; ++i) {
    value |= uint64_t{from[i]} << (8 * i);
  }
  return value;
}

/// Whether an atomic of this lane will write, given those of the lanes before it.
bool will_write(const Context& context, const RaceTouch& touch, uint32_t lane) {
  if (!touch.form->compares) return true;
  const uint32_t bytes = touch.form->bytes;
  const uint64_t mask = ~uint64_t{0} >> (64 - 8 * bytes);
  uint64_t value = memory_value(context, touch, touch.address[lane]);
  for (uint32_t left = touch.executing; left; left &= left - 1) {
    const uint32_t i = first_lane(left);
    const bool equal = value == (row_value(context, touch.step->b, bytes, i) & mask);
    if (i == lane) return equal;
    if (touch.address[i] != touch.address[lane] || !equal) continue;
    value = row_value(context, touch.step->c, bytes, i) & mask;
  }
  return true;
}

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

ThreadOrder& RaceDetector::order_of(const Block& block, uint32_t thread) {
  auto& orders = races_of(block).orders;
  if (!orders) orders = std::make_unique<ThreadOrders>();
  return orders->threads[thread];
}

/// What a thread knows now.
Published RaceDetector::knowledge(const Block& block, uint32_t thread) {
  const BlockRaces& races = races_of(block);
  const uint32_t warp = thread / kLanes;
  Published known;
  known.block = block.number;
  known.warp = warp;
  known.lane = thread % kLanes;
  known.own = now(block);
  known.synced = races.warps[warp].synced;
  known.full = races.full;
  if (!races.known.empty()) {
    const auto row =
        races.known.begin() + static_cast<std::ptrdiff_t>(warp * kMaxWarps);
    known.warps.assign(row, row + kMaxWarps);
  }
  known.others = order_of(block, thread).known;
  join_views(known.others, races.orders->whole);
  if (races.phases) known.clock = races.phases->known[thread];
  return known;
}

void RaceDetector::fence(Context& context, bool block_only) {
  const Block& block = *context.block;
  const uint32_t warp = context.warp->index;
  for (uint32_t left = context.mask; left; left &= left - 1) {
    const uint32_t thread = warp * kLanes + first_lane(left);
    ThreadOrder& order = order_of(block, thread);
    join_views(order.known, order.seen, block_only);
    if (PhaseOrders* const phases = races_of(block).phases.get()) {
      phases->known[thread] =
          phases->merge(phases->known[thread], phases->waited[thread]);
      phases->waited[thread] = nullptr;
    }
    // What was read with too small a scope may still be learnt by a wider fence.
    if (!block_only) order.seen.clear();
    order.fence[block_only] = knowledge(block, thread);
    order.fence[block_only].block_only = block_only;
    order.fenced[block_only] = true;
    if (!block_only) order.fresh = races_of(block).orders->fresh = true;
  }
  open_interval(races_of(block).warps[warp]);
}

void RaceDetector::publish(const RaceSeen& seen, ThreadOrder& order, uint32_t thread,
                           Log& log) {
  const MemoryForm& form = *seen.touch.form;
  const Block& block = *seen.context.block;
  const auto add = [&](Published entry) {
    entry.block_only |= form.scope == ptx::Scope::Cta;
    entry.write[seen.touch.shared ? 1 : 0] = seen.epoch();
    log.add(std::move(entry));
  };
  if (releases(form)) add(knowledge(block, thread));
  for (const bool block_only : {false, true}) {
    if (order.fenced[block_only]) add(order.fence[block_only]);
  }
  const auto& fenced = races_of(block).orders->fenced;
  if (!fenced) return;
  Published entry;
  entry.block = block.number;
  entry.others.push_back({fenced, fenced->entries.size()});
  add(std::move(entry));
}

std::shared_ptr<Log> RaceDetector::new_log() {
  if (all_logs_.size() == all_logs_.capacity()) {
    std::erase_if(all_logs_, [](const auto& log) { return log.expired(); });
  }
  auto log = std::make_shared<Log>();
  all_logs_.push_back(log);
  return log;
}

/// Threads that answer each other's flags make logs that hold each other.
void RaceDetector::empty_logs() {
  for (const std::weak_ptr<Log>& each : all_logs_) {
    if (const std::shared_ptr<Log> log = each.lock()) {
      const auto entries = std::move(log->entries);
      log->entries.clear();
    }
  }
}

/// A strong access: observes what was published at its location, and publishes.
void RaceDetector::synchronise(const RaceSeen& seen) {
  const Context& context = seen.context;
  const MemoryForm& form = *seen.touch.form;
  const uint32_t thread = context.warp->index * kLanes + seen.lane;
  ThreadOrder& order = order_of(*context.block, thread);
  auto& logs = seen.touch.shared ? races_of(*context.block).orders->logs : logs_;
  std::shared_ptr<Log>& log = logs[seen.address()];
  if (form.kind != MemoryForm::Kind::Store && log && !log->entries.empty()) {
    const bool narrow = form.scope == ptx::Scope::Cta;
    const LogView view = {log, log->entries.size(), narrow};
    join_views(acquires(form) ? order.known : order.seen, {view});
  }
  if (form.kind == MemoryForm::Kind::Load) return;
  if (form.kind == MemoryForm::Kind::Store) log = nullptr;
  if (!will_write(context, seen.touch, seen.lane)) return;
  if (!log) log = new_log();
  publish(seen, order, thread, *log);
}

/// Threads that fence and then meet at a barrier of the block: whoever of them writes a
/// flag then publishes what all had fenced. Whole warps are one entry together.
void RaceDetector::share_fences(const Block& block) {
  ThreadOrders& orders = *races_of(block).orders;
  orders.fresh = false;
  if (!orders.fenced) orders.fenced = new_log();
  Published all;
  all.block = block.number;
  all.warps.resize(kMaxWarps);
  std::array<uint32_t, kMaxWarps> lanes{};
  for (auto& [thread, order] : orders.threads) {
    if (!order.fenced[0]) continue;
    Bound& bound = all.warps[thread / kLanes];
    const bool first = lanes[thread / kLanes] == 0;
    lanes[thread / kLanes] |= 1u << thread % kLanes;
    const Bound own = order.fence[0].own;
    bound.shared = first ? own.shared : std::min(bound.shared, own.shared);
    bound.global = first ? own.global : std::min(bound.global, own.global);
    if (order.fresh) join_views(all.others, order.fence[0].others);
    if (order.fence[0].clock && races_of(block).phases) {
      all.clock = races_of(block).phases->merge(all.clock, order.fence[0].clock);
    }
  }
  for (const Warp& warp : block.warps) {
    const uint32_t needed = warp.lanes & ~warp.exited;
    if (needed & ~lanes[warp.index]) all.warps[warp.index] = {};
  }
  for (auto& [thread, order] : orders.threads) {
    const Warp& warp = block.warps[thread / kLanes];
    const bool alone = (warp.lanes & ~warp.exited & ~lanes[thread / kLanes]) != 0;
    if (order.fresh && alone) orders.fenced->add(order.fence[0]);
    order.fresh = false;
  }
  orders.fenced->add(std::move(all));
}

void RaceDetector::share_in_block(const Block& block) {
  if (!races_of(block).orders) return;
  ThreadOrders& orders = *races_of(block).orders;
  for (auto& [thread, order] : orders.threads) {
    join_views(orders.whole, order.known);
    join_views(orders.whole, order.seen);
    order.known.clear();
    order.seen.clear();
  }
  if (orders.fresh) share_fences(block);
}

void RaceDetector::share_in_warp(const Block& block, uint32_t warp, uint32_t mask) {
  if (!races_of(block).orders) return;
  LogViews all;
  for (uint32_t left = mask; left; left &= left - 1) {
    join_views(all, order_of(block, warp * kLanes + first_lane(left)).known);
  }
  if (all.empty()) return;
  for (uint32_t left = mask; left; left &= left - 1) {
    order_of(block, warp * kLanes + first_lane(left)).known = all;
  }
}

void RaceDetector::share_at_barrier(const Block& block, uint32_t barrier, uint32_t warp,
                                    bool leaves) {
  if (!races_of(block).orders) return;
  LogViews& all = races_of(block).orders->arrived[barrier];
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    ThreadOrder& order = order_of(block, warp * kLanes + lane);
    if (leaves) {
      join_views(order.known, all);
    } else {
      join_views(all, order.known);
      join_views(all, order.seen);
    }
  }
}

bool RaceDetector::is_known(const Block& block, Epoch epoch, bool shared,
                            const RaceThread& by, uint32_t thread) const {
  const auto& orders = races_of(block).orders;
  if (!orders) return false;
  if (views_cover(orders->whole, block.number, by, epoch, shared)) return true;
  const auto own = orders->threads.find(thread);
  return own != orders->threads.end() &&
         views_cover(own->second.known, block.number, by, epoch, shared);
}

}  // namespace minitorch::emulator
