// Owns which accesses are before which: program order, barriers of the block or of some
// of its warps, __syncwarp(). Must not know what a race is.
#include <algorithm>

#include "emulator/observers/races/race_detector.h"

namespace minitorch::emulator {

void RaceDetector::barriers_differ(Block& block) { races_of(block).trusted = false; }

void RaceDetector::arrive_at_barrier(Block& block, uint32_t barrier, uint32_t warp) {
  BlockRaces& races = races_of(block);
  races.known.resize(size_t{kMaxWarps} * kMaxWarps);
  races.arrived.resize(size_t{kBarriers} * kMaxWarps);
  Bound* const all = &races.arrived[size_t{barrier} * kMaxWarps];
  const Bound* const own = &races.known[size_t{warp} * kMaxWarps];
  for (uint32_t i = 0; i < kMaxWarps; ++i) join(all[i], own[i]);
  join(all[warp], now(block));
  share_at_barrier(block, barrier, warp, false);
  share_phases_at(block, barrier, warp, false);
  open_interval(races.warps[warp]);
}

void RaceDetector::leave_barrier(Context& context, Block& block, uint32_t barrier,
                                 uint32_t warps, bool whole) {
  BlockRaces& races = races_of(block);
  if (!whole) {
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
    return;
  }
  end_block(context, block);
  races.full = now(block);
  races.shared.old = races.full.shared;
  if (running_ == &block) global.span = (next_number_ << 5) - global.low;
  for (WarpRaces& warp : races.warps) open_interval(warp);
  share_in_block(block);
  if (races.phases) races.phases->forget_known();
  forget_shared(races, kGreatestSharedNumber / 2);
  look_for_unwritten(races);
}

void RaceDetector::sync_lanes(Context& context) {
  const Block& block = *context.block;
  WarpRaces& warp = races_of(block).warps[context.warp->index];
  const Bound at = now(block);
  open_interval(warp);
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

bool RaceDetector::is_before_in_block(const Block& block, Epoch epoch, bool shared,
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

bool RaceDetector::is_before(const Block& block, Epoch epoch, bool shared,
                             uint32_t warp, uint32_t lane) const {
  const RaceThread by = thread(block, epoch, shared);
  if (by.block == block.number &&
      is_before_in_block(block, epoch, shared, by, warp, lane)) {
    return true;
  }
  return is_known(block, epoch, shared, by, warp * kLanes + lane);
}

}  // namespace minitorch::emulator
