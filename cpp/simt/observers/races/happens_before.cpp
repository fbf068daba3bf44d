#include "simt/observers/races/happens_before.h"

#include <algorithm>

#include "simt/warp/launch_state.h"

namespace minitorch::simt {
namespace {

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

void HappensBefore::start_block(const Block& block) const {
  BlockRaces& races = races_of(block);
  races.full = history_.now(block);
  races.full.global = 0;
  races.known.clear();
  races.arrived.clear();
  races.orders.reset();
  races.phases.reset();
  for (WarpRaces& warp : races.warps) {
    warp.synced = {};
    warp.lanes.reset();
  }
}

void HappensBefore::arrive_at_part_barrier(const Block& block, uint32_t barrier,
                                           uint32_t warp) {
  BlockRaces& races = races_of(block);
  races.known.resize(size_t{kMaxWarps} * kMaxWarps);
  races.arrived.resize(size_t{kBarriers} * kMaxWarps);
  Bound* const all = &races.arrived[size_t{barrier} * kMaxWarps];
  const Bound* const own = &races.known[size_t{warp} * kMaxWarps];
  for (uint32_t i = 0; i < kMaxWarps; ++i) join(all[i], own[i]);
  join(all[warp], history_.now(block));
  share_at_barrier(block, barrier, warp, false);
  share_phases_at(block, barrier, warp, false);
  races.warps[warp].open_interval();
}

void HappensBefore::leave_part_barrier(const Block& block, uint32_t barrier,
                                       uint32_t warps) {
  BlockRaces& races = races_of(block);
  Bound* const all = &races.arrived[size_t{barrier} * kMaxWarps];
  for (uint32_t left = warps; left; left &= left - 1) {
    Bound* const own = &races.known[size_t{first_lane(left)} * kMaxWarps];
    for (uint32_t i = 0; i < kMaxWarps; ++i) join(own[i], all[i]);
    share_at_barrier(block, barrier, first_lane(left), true);
    share_phases_at(block, barrier, first_lane(left), true);
  }
  std::fill(all, all + kMaxWarps, Bound{});
  if (races.orders) races.orders->arrived.erase(barrier);
  if (races.phases) races.phases->arrived.erase(barrier);
}

void HappensBefore::leave_barrier(const Block& block) {
  BlockRaces& races = races_of(block);
  races.full = history_.now(block);
  share_in_block(block);
  if (races.phases) races.phases->forget_known();
}

void HappensBefore::sync_lanes(const Context& context) {
  const Block& block = *context.block;
  WarpRaces& warp = races_of(block).warps[context.warp->index];
  const Bound at = history_.now(block);
  warp.open_interval();
  share_in_warp(block, context.warp->index, context.mask);
  share_phases(block, context.warp->index, context.mask);
  if (context.mask == (context.warp->lanes & ~context.warp->exited)) {
    warp.synced = at;
    return;
  }
  using Matrix = std::array<Bound, kLanes * kLanes>;
  if (!warp.lanes) warp.lanes = std::make_unique<Matrix>();
  Matrix& known = *warp.lanes;
  std::array<Bound, kLanes> met{};
  for (uint32_t left = context.mask; left; left &= left - 1) {
    const uint32_t lane = first_lane(left);
    for (uint32_t i = 0; i < kLanes; ++i) join(met[i], known[lane * kLanes + i]);
    met[lane] = at;
  }
  for (uint32_t left = context.mask; left; left &= left - 1) {
    const size_t row = size_t{first_lane(left)} * kLanes;
    for (uint32_t i = 0; i < kLanes; ++i) join(known[row + i], met[i]);
  }
}

bool HappensBefore::is_before_in_block(const Block& block, Epoch epoch, bool shared,
                                       const RaceThread& by, uint32_t warp,
                                       uint32_t lane) const {
  const BlockRaces& races = races_of(block);
  if (by.warp == warp && by.lane == lane) return true;
  if (reaches(races.full, epoch, shared)) return true;
  if (by.warp == warp) {
    const WarpRaces& own = races.warps[warp];
    if (reaches(own.synced, epoch, shared)) return true;
    if (own.lanes && reaches((*own.lanes)[lane * kLanes + by.lane], epoch, shared)) {
      return true;
    }
  }
  if (!races.known.empty() &&
      reaches(races.known[size_t{warp} * kMaxWarps + by.warp], epoch, shared)) {
    return true;
  }
  return races.phases &&
         races.phases->covers(warp * kLanes + lane, by.warp * kLanes + by.lane, epoch,
                              shared);
}

bool HappensBefore::is_before(const Block& block, Epoch epoch, bool shared,
                              uint32_t warp, uint32_t lane) const {
  const RaceThread by = history_.thread(block, epoch, shared);
  if (by.block == block.number &&
      is_before_in_block(block, epoch, shared, by, warp, lane)) {
    return true;
  }
  return is_known(block, epoch, shared, by, warp * kLanes + lane);
}

ThreadOrder& HappensBefore::order_of(const Block& block, uint32_t thread) {
  auto& orders = races_of(block).orders;
  if (!orders) orders = std::make_unique<ThreadOrders>();
  return orders->threads[thread];
}

/// What a thread knows now.
Published HappensBefore::knowledge(const Block& block, uint32_t thread) {
  const BlockRaces& races = races_of(block);
  const uint32_t warp = thread / kLanes;
  Published known;
  known.block = block.number;
  known.warp = warp;
  known.lane = thread % kLanes;
  known.own = history_.now(block);
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

void HappensBefore::fence(const Context& context, bool block_only) {
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
  races_of(block).warps[warp].open_interval();
}

void HappensBefore::publish(const RaceSeen& seen, ThreadOrder& order, uint32_t thread,
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

std::shared_ptr<Log> HappensBefore::new_log() {
  if (all_logs_.size() == all_logs_.capacity()) {
    std::erase_if(all_logs_, [](const auto& log) { return log.expired(); });
  }
  auto log = std::make_shared<Log>();
  all_logs_.push_back(log);
  return log;
}

/// Threads that answer each other's flags make logs that hold each other.
HappensBefore::~HappensBefore() {
  for (const std::weak_ptr<Log>& each : all_logs_) {
    if (const std::shared_ptr<Log> log = each.lock()) {
      const auto entries = std::move(log->entries);
      log->entries.clear();
    }
  }
}

void HappensBefore::synchronise(const RaceSeen& seen) {
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
void HappensBefore::share_fences(const Block& block) {
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

void HappensBefore::share_in_block(const Block& block) {
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

void HappensBefore::share_in_warp(const Block& block, uint32_t warp, uint32_t mask) {
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

void HappensBefore::share_at_barrier(const Block& block, uint32_t barrier,
                                     uint32_t warp, bool leaves) {
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

bool HappensBefore::is_known(const Block& block, Epoch epoch, bool shared,
                             const RaceThread& by, uint32_t thread) const {
  const auto& orders = races_of(block).orders;
  if (!orders) return false;
  if (views_cover(orders->whole, block.number, by, epoch, shared)) return true;
  const auto own = orders->threads.find(thread);
  return own != orders->threads.end() &&
         views_cover(own->second.known, block.number, by, epoch, shared);
}

PhaseOrders& HappensBefore::phases_of(const Block& block) {
  auto& phases = races_of(block).phases;
  if (!phases) phases = std::make_unique<PhaseOrders>(block.warps.size() * kLanes);
  return *phases;
}

Epoch HappensBefore::begun(const Block& block, uint32_t at) {
  const auto& phases = phases_of(block).phases;
  const auto known = phases.find(at);
  return known == phases.end() ? 0 : known->second.begun;
}

void HappensBefore::begin_phase(const Block& block, uint32_t at, Epoch begun) {
  PhaseOrder& phase = phases_of(block).phases[at];
  phase = {};
  phase.begun = begun;
}

void HappensBefore::arrive_at_phase(const Context& context, uint32_t at, uint32_t lane,
                                    bool relaxed) {
  const Block& block = *context.block;
  const BlockRaces& races = races_of(block);
  PhaseOrders& all = phases_of(block);
  PhaseOrder& phase = all.phases[at];
  phase.gathered.resize(all.known.size());
  const uint32_t index = context.warp->index, thread = index * kLanes + lane;
  if (relaxed) {
    // A fence before it publishes all the same.
    const auto& orders = races.orders;
    const auto own =
        orders ? orders->threads.find(thread) : decltype(orders->threads.end()){};
    if (!orders || own == orders->threads.end()) return;
    if (!own->second.fenced[0] && !own->second.fenced[1]) return;
  }
  join(phase.gathered[thread], history_.now(block));
  const WarpRaces& warp = races.warps[index];
  for (uint32_t i = 0; i < kLanes; ++i) {
    Bound& to = phase.gathered[index * kLanes + i];
    join(to, warp.synced);
    if (warp.lanes) join(to, (*warp.lanes)[lane * kLanes + i]);
  }
  for (uint32_t from = 0; from < block.warps.size() && !races.known.empty(); ++from) {
    const Bound known = races.known[size_t{index} * kMaxWarps + from];
    if (known.shared == 0 && known.global == 0) continue;
    for (uint32_t i = 0; i < kLanes; ++i) {
      join(phase.gathered[from * kLanes + i], known);
    }
  }
  const ClockView& own = all.known[thread];
  if (own && own != phase.joined) {
    join(phase.gathered, *own);
    phase.joined = own;
  }
  if (races.orders) join_views(phase.views, order_of(block, thread).known);
}

void HappensBefore::complete_phase(const Block& block, uint32_t at) {
  PhaseOrder& phase = phases_of(block).phases[at];
  phase.gathered.resize(phases_of(block).known.size());
  phase.over = std::make_shared<const Clock>(phase.gathered);
  phase.views_over = phase.views;
}

void HappensBefore::leave_phase(const Context& context, uint32_t at, uint32_t lane,
                                bool relaxed) {
  const Block& block = *context.block;
  PhaseOrders& all = phases_of(block);
  const PhaseOrder& phase = all.phases[at];
  const uint32_t thread = context.warp->index * kLanes + lane;
  ClockView& to = relaxed ? all.waited[thread] : all.known[thread];
  to = all.merge(to, phase.over);
  if (phase.views_over.empty()) return;
  ThreadOrder& order = order_of(block, thread);
  join_views(relaxed ? order.seen : order.known, phase.views_over);
}

void HappensBefore::share_phases(const Block& block, uint32_t warp, uint32_t mask) {
  if (!races_of(block).phases) return;
  PhaseOrders& all = *races_of(block).phases;
  ClockView met;
  for (uint32_t left = mask; left; left &= left - 1) {
    met = all.merge(met, all.known[warp * kLanes + first_lane(left)]);
  }
  if (!met) return;
  for (uint32_t left = mask; left; left &= left - 1) {
    all.known[warp * kLanes + first_lane(left)] = met;
  }
}

void HappensBefore::share_phases_at(const Block& block, uint32_t barrier, uint32_t warp,
                                    bool leaves) {
  if (!races_of(block).phases) return;
  PhaseOrders& all = *races_of(block).phases;
  ClockView& brought = all.arrived[barrier];
  for (uint32_t i = warp * kLanes; i < (warp + 1) * kLanes; ++i) {
    if (leaves) {
      all.known[i] = all.merge(all.known[i], brought);
    } else {
      brought = all.merge(brought, all.known[i]);
    }
  }
}

}  // namespace minitorch::simt
