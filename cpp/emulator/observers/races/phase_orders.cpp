// Owns the edges that mbarriers make: who arrives releases what it knows, who finds the
// phase over learns what all arrivals of it brought. Must not know when phases end
// (mbarrier.cpp) nor what a race is.
#include "emulator/observers/races/phase_orders.h"

#include <algorithm>
#include <unordered_map>

#include "emulator/observers/races/race_detector.h"

namespace minitorch::emulator {
namespace {

void join(Clock& to, const Clock& from) {
  for (size_t i = 0; i < to.size(); ++i) join(to[i], from[i]);
}

bool holds(const Clock& all, const Clock& part) {
  for (size_t i = 0; i < all.size(); ++i) {
    if (part[i].shared > all[i].shared || part[i].global > all[i].global) return false;
  }
  return true;
}

}  // namespace

/// Threads that have learnt the same share one clock.
ClockView PhaseOrders::merge(const ClockView& a, const ClockView& b) {
  if (!a || a == b) return b;
  if (!b) return a;
  if (merged_from_[0] == a && merged_from_[1] == b) return merged_;
  merged_from_[0] = a;
  merged_from_[1] = b;
  if (holds(*b, *a)) return merged_ = b;
  if (holds(*a, *b)) return merged_ = a;
  auto both = std::make_shared<Clock>(*a);
  join(*both, *b);
  return merged_ = std::move(both);
}

void PhaseOrders::forget_known() {
  std::fill(known.begin(), known.end(), nullptr);
  std::fill(waited.begin(), waited.end(), nullptr);
  arrived.clear();
}

void PhaseOrders::forget_shared() {
  std::unordered_map<const Clock*, ClockView> changed;
  const auto forget = [&](ClockView& view) {
    if (!view) return;
    ClockView& to = changed[view.get()];
    if (!to) {
      auto without = std::make_shared<Clock>(*view);
      for (Bound& bound : *without) bound.shared = 0;
      to = std::move(without);
    }
    view = to;
  };
  for (ClockView& view : known) forget(view);
  for (ClockView& view : waited) forget(view);
  for (auto& [barrier, view] : arrived) forget(view);
  for (auto& [at, phase] : phases) {
    phase.begun = 0;
    phase.joined = nullptr;
    for (Bound& bound : phase.gathered) bound.shared = 0;
    forget(phase.over);
  }
  merged_from_[0] = merged_from_[1] = merged_ = nullptr;
}

PhaseOrders& RaceDetector::phases_of(const Block& block) {
  auto& phases = races_of(block).phases;
  if (!phases) phases = std::make_unique<PhaseOrders>(block.warps.size() * kLanes);
  return *phases;
}

void RaceDetector::use_mbarriers(Context& context, const Step* step,
                                 const std::array<uint32_t, kLanes>& at,
                                 uint32_t lanes) {
  const MemoryForm& form = context.frame->code->accesses[step->e];
  const Block& block = *context.block;
  RaceShadow& shadow = races_of(block).shared;
  RaceTouch touch = {step, &form, true, epoch(context, step, true), lanes, lanes, {}};
  for (uint32_t left = lanes; left; left &= left - 1) {
    touch.address[first_lane(left)] = at[first_lane(left)];
  }
  const auto& phases = phases_of(block).phases;
  for (uint32_t left = lanes; left; left &= left - 1) {
    const RaceSeen seen = {context, touch, shadow, first_lane(left)};
    const uint64_t begin = shadow.cell_of(seen.address());
    const auto known = phases.find(at[seen.lane]);
    if (known != phases.end() && known->second.begun != 0 &&
        !is_before(block, known->second.begun, true, context.warp->index, seen.lane)) {
      report(seen, begin, known->second.begun, false);
    }
    for (uint64_t i = 0; i < uint64_t{8} >> shadow.cell_shift; ++i) {
      if (form.kind == MemoryForm::Kind::Load) {
        check_read(seen, begin + i);
      } else {
        check_write(seen, begin + i);
      }
    }
  }
}

void RaceDetector::begin_mbarrier(const Context& context, const Step* step, uint32_t at,
                                  uint32_t lane) {
  PhaseOrder& phase = phases_of(*context.block).phases[at];
  phase = {};
  phase.begun = epoch(context, step, true) + lane;
}

void RaceDetector::arrive_at_phase(const Context& context, uint32_t at, uint32_t lane,
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
  join(phase.gathered[thread], now(block));
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

void RaceDetector::complete_phase(const Block& block, uint32_t at) {
  PhaseOrder& phase = phases_of(block).phases[at];
  phase.gathered.resize(phases_of(block).known.size());
  phase.over = std::make_shared<const Clock>(phase.gathered);
  phase.views_over = phase.views;
}

void RaceDetector::leave_phase(const Context& context, uint32_t at, uint32_t lane,
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

void RaceDetector::share_phases(const Block& block, uint32_t warp, uint32_t mask) {
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

void RaceDetector::share_phases_at(const Block& block, uint32_t barrier, uint32_t warp,
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

void RaceDetector::end_arrivals(const Context& context) {
  open_interval(races_of(*context.block).warps[context.warp->index]);
}

}  // namespace minitorch::emulator
