// The fast roads of control flow: branches, joins, guards, barriers and small steps of
// the engine itself. For the isa_*.cpp sources only; the slow roads are in paths.cpp.
#pragma once

#include <atomic>

#include "simt/lanes/rows.h"
#include "simt/program/engine.h"
#include "simt/warp/context.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

[[gnu::always_inline]] inline const Step* go(Context& state, const Step* step) {
  state.executed += step->instruction + 1 - state.segment;
  state.segment = step->d;
  const int32_t delta = static_cast<int32_t>(step->b);
  if (delta <= 0 && state.executed >= state.slice_end) {
    return expire(state, step + delta, step);
  }
  return step + delta;
}

inline const Step* jump(LaneState& state, const Step* step) {
  return go(context(state), step);
}

template <bool kNegated>
const Step* branch(LaneState& lane_state, const Step* step) {
  Context& state = context(lane_state);
  const uint32_t predicate = mask_row(state, step->a);
  const uint32_t taken = (kNegated ? ~predicate : predicate) & state.mask;
  if (taken == 0) return step + 1;
  if (taken == state.mask) return go(state, step);
  return diverge(state, step, taken);
}

template <bool kNegated>
const Step* guard(LaneState& lane_state, const Step* step) {
  Context& state = context(lane_state);
  const uint32_t predicate = mask_row(state, step->a);
  const uint32_t on = (kNegated ? ~predicate : predicate) & state.mask;
  if (on == 0) return step + step->b;
  state.unguarded_mask = state.mask;
  if (on != state.mask) set_mask(state, on);
  return step + 1;
}

inline const Step* unguard(LaneState& lane_state, const Step* step) {
  Context& state = context(lane_state);
  if (state.mask != state.unguarded_mask) set_mask(state, state.unguarded_mask);
  return step + 1;
}

inline const Step* join(LaneState& lane_state, const Step* step) {
  Context& state = context(lane_state);
  const Join* join = state.join;
  if (!join || join->at != step || join->frame != state.frame) return step + 1;
  return arrive(state, step);
}

template <const Step* (*kSlow)(Context&, const Step*)>
const Step* slow(LaneState& state, const Step* step) {
  return kSlow(context(state), step);
}

const Step* barrier(LaneState& state, const Step* step) {
  return arrive_at_barrier(context(state), step);
}

inline const Step* check_division(LaneState& state, const Step* step) {
  if (state.division_by_zero) report_division_by_zero(context(state), step);
  return step + 1;
}

inline const Step* check_index(LaneState& state, const Step* step) {
  const Row<uint64_t>* index = row<uint64_t>(state, step->a);
  const Row<uint64_t>* extent = row<uint64_t>(state, step->b);
  uint64_t outside = 0;
  for (uint32_t i = 0; i < kLanes; ++i) outside |= index[i] >= extent[i] ? ~0ull : 0;
  return outside == 0 ? step + 1 : refuse_index(context(state), step);
}

inline const Step* spin_hint(LaneState& lane_state, const Step* step) {
  Context& state = context(lane_state);
  const uint64_t cost = step->d;
  state.slice_end -= state.slice_end > cost ? cost : state.slice_end;
  state.spun += cost;
  state.waits = true;
  const auto looks = static_cast<Looks>(step->a);
  state.looks_outside |= looks == Looks::Outside;
  if (looks != Looks::Nowhere) state.looks = step;
  return step + 1;
}

inline const Step* fence(LaneState& state, const Step* step) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const bool block_only = static_cast<ptx::Scope>(step->immediate) == ptx::Scope::Cta;
  for (ThreadObserver* const each : context(state).observers) {
    each->fence(context(state), block_only);
  }
  return step + 1;
}

inline const Step* is_space(LaneState& state, const Step* step) {
  const Row<uint64_t>* address = row<uint64_t>(state, step->a);
  uint32_t inside = 0;
  for (uint32_t i = 0; i < kLanes; ++i) {
    inside |= address[i] >> 56 == static_cast<uint64_t>(step->immediate) ? 1u << i : 0;
  }
  set_predicate(state, step->d, inside);
  return step + 1;
}

inline const Step* clear_pattern(LaneState& state, const Step* step) {
  state.patterns[step->clears_pattern].valid = 0;
  return step + 1;
}

template <class From, class To>
const Step* sign_extend(LaneState& state, const Step* step) {
  Row<uint32_t>* d = row<uint32_t>(state, step->d);
  for (uint32_t left = state.mask; left; left &= left - 1) {
    const uint32_t i = first_lane(left);
    d[i] =
        static_cast<std::make_unsigned_t<To>>(static_cast<To>(static_cast<From>(d[i])));
  }
  return step + 1;
}

HandlerPair find_control(Control control) {
  const auto both = [](Handler handler) { return HandlerPair{handler, handler}; };
  switch (control) {
    case Control::Branch:
      return both(&branch<false>);
    case Control::BranchNegated:
      return both(&branch<true>);
    case Control::Jump:
      return both(&jump);
    case Control::JumpTable:
      return both(&slow<jump_table>);
    case Control::Join:
      return both(&join);
    case Control::Guard:
      return both(&guard<false>);
    case Control::GuardNegated:
      return both(&guard<true>);
    case Control::Unguard:
      return both(&unguard);
    case Control::Exit:
      return both(&slow<exit_lanes>);
    case Control::Call:
      return both(&slow<enter_call>);
    case Control::CallIndirect:
      return both(&slow<enter_indirect_call>);
    case Control::CallVprintf:
      return both(&slow<call_vprintf>);
    case Control::CallMalloc:
      return both(&slow<call_malloc>);
    case Control::CallFree:
      return both(&slow<call_free>);
    case Control::CallAssert:
      return both(&slow<call_assert>);
    case Control::Return:
      return both(&slow<leave_call>);
    case Control::Trap:
      return both(&slow<trap>);
    case Control::Unsupported:
      return both(&slow<unsupported>);
    case Control::CheckDivision:
      return both(&check_division);
    case Control::CheckIndex:
      return both(&check_index);
    case Control::SpinHint:
      return both(&spin_hint);
    case Control::Fence:
      return both(&fence);
    case Control::Barrier:
      return both(&barrier);
    case Control::Clock:
      return both(&slow<read_clock>);
    case Control::IsSpace:
      return both(&is_space);
    case Control::ClearPattern:
      return both(&clear_pattern);
    case Control::LoadParameterAt:
      return both(&slow<load_parameter_at>);
    case Control::SignExtend8:
      return both(&sign_extend<int8_t, int16_t>);
    case Control::SignExtend8To32:
      return both(&sign_extend<int8_t, int32_t>);
    case Control::SignExtend16To32:
      return both(&sign_extend<int16_t, int32_t>);
    case Control::LoadSlot:
      return both(&slow<load_slot>);
    case Control::StartCopy:
      return both(&slow<start_copy>);
    case Control::CommitCopies:
      return both(&slow<commit_copies>);
    case Control::NextCopy:
      return both(&slow<next_copy>);
    case Control::AgainCopy:
      return both(&slow<again_copy>);
    case Control::NoteSource:
      return both(&slow<note_source>);
    case Control::CheckSources:
      return both(&slow<check_sources>);
    case Control::MbarrierInit:
      return both(&slow<init_mbarrier>);
    case Control::MbarrierInval:
      return both(&slow<invalidate_mbarrier>);
    case Control::MbarrierArrive:
      return both(&slow<arrive_at_mbarrier>);
    case Control::MbarrierTest:
      return both(&slow<test_mbarrier>);
    case Control::MbarrierPending:
      return both(&slow<count_pending>);
    case Control::CopyArrive:
      return both(&slow<arrive_with_copies>);
    case Control::StoreSlot:
      return both(&slow<store_slot>);
  }
  return {};
}

}  // namespace
}  // namespace minitorch::simt::MINITORCH_ISA
