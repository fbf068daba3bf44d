// Owns the races with cp.async, whose reads and writes happen at some time between its
// start and the wait for it, by nobody's thread: what it writes is marked in the shadow
// until then, what it reads is kept with the copy. Must not know when copies arrive
// (async_copies.cpp, mbarrier.cpp).
#include <algorithm>

#include "emulator/launch_state.h"
#include "emulator/observers/races/race_detector.h"

namespace minitorch::emulator {
namespace {

uint64_t offset_of(const AsyncCopy& copy, uint32_t lane) {
  return copy.address[lane] - kSharedBase;
}

/// The cells that one lane's copy fills.
template <class Visit>
void each_cell(const RaceShadow& shadow, const AsyncCopy& copy, uint32_t lane,
               Visit visit) {
  const uint64_t begin = shadow.cell_of(offset_of(copy, lane));
  for (uint64_t i = 0; i < copy.size >> shadow.cell_shift; ++i) visit(begin + i);
}

/// The copy in flight that fills offset `at`, with the lane that has started it.
const AsyncCopy* copy_to(const Block& block, uint64_t at, uint32_t& lane) {
  for (const Warp& warp : block.warps) {
    if (!warp.copies) continue;
    for (const AsyncCopy& copy : warp.copies->pending) {
      for (uint32_t left = copy.mask; left; left &= left - 1) {
        lane = first_lane(left);
        if (at - offset_of(copy, lane) < copy.size) return &copy;
      }
    }
  }
  return nullptr;
}

uint64_t stored_to(const Context& context, const Step* step, const MemoryForm& form,
                   uint32_t lane) {
  const uint8_t* const row = context.registers + step->a;
  const uint64_t base = form.address_bytes == 8
                            ? reinterpret_cast<const uint64_t*>(row)[lane]
                            : reinterpret_cast<const uint32_t*>(row)[lane];
  return base + static_cast<uint64_t>(step->immediate);
}

}  // namespace

void RaceDetector::begin_copy(Context& context, const Step* step, AsyncCopy& copy) {
  BlockRaces& races = races_of(*context.block);
  RaceShadow& shadow = races.shared;
  const MemoryForm& form = context.frame->code->accesses[step->e];
  RaceTouch touch = {step,      &form,        true, epoch(context, step, true),
                     copy.mask, context.mask, {}};
  for (uint32_t left = copy.mask; left; left &= left - 1) {
    touch.address[first_lane(left)] = offset_of(copy, first_lane(left));
  }
  for (uint32_t left = copy.mask; left; left &= left - 1) {
    const RaceSeen seen = {context, touch, shadow, first_lane(left)};
    each_cell(shadow, copy, seen.lane, [&](uint64_t cell) {
      const bool free =
          shadow.settled(shadow.write[cell]) && shadow.settled(shadow.read[cell]) &&
          shadow.settled(shadow.second[cell] & ~kFar) && !shadow.has_write2;
      if (!free) check_write(seen, cell);
    });
  }
  const Epoch other = (context.warp->index << 5) ^ 1;
  for (uint32_t left = copy.mask; left; left &= left - 1) {
    const uint32_t lane = first_lane(left);
    each_cell(shadow, copy, lane, [&](uint64_t cell) {
      shadow.write[cell] = kInFlight | (other ^ lane);
      shadow.read[cell] = shadow.second[cell] = 0;
    });
  }
  races.copying = true;
  copy.started = touch.first;
  copy.numbering = races.numbering;
  copy.place = races.shared_place[touch.first >> 10];
  copy.warp = context.warp->index;
}

void RaceDetector::hand_over_copies(Context& context) {
  if (!context.warp->copies) return;
  Block& block = *context.block;
  for (AsyncCopy& copy : context.warp->copies->pending) {
    if (!(copy.mask & context.mask) || copy.landing != 0) continue;
    copy.landing = new_shared_epoch(block, copy.warp, copy.place);
    if (copy.numbering != races_of(block).numbering) copy.started = copy.landing;
    copy.numbering = races_of(block).numbering;
  }
}

void RaceDetector::land_copy(Block& block, const AsyncCopy& copy, uint32_t lanes) {
  RaceShadow& shadow = races_of(block).shared;
  const bool numbered =
      copy.landing != 0 && copy.numbering == races_of(block).numbering;
  const Epoch first =
      numbered ? copy.landing : new_shared_epoch(block, copy.warp, copy.place);
  for (uint32_t left = lanes; left; left &= left - 1) {
    const uint32_t lane = first_lane(left);
    each_cell(shadow, copy, lane, [&](uint64_t cell) {
      shadow.write[cell] = first + lane;
      shadow.read[cell] = shadow.second[cell] = shadow.write2[cell] = 0;
    });
  }
  const auto idle = [](const Warp& warp) {
    return !warp.copies ||
           std::all_of(warp.copies->pending.begin(), warp.copies->pending.end(),
                       [](const AsyncCopy& each) { return !each.mask; });
  };
  races_of(block).copying = !std::all_of(block.warps.begin(), block.warps.end(), idle);
}

void RaceDetector::meet_copy(const RaceSeen& seen, uint64_t cell) {
  Epoch& write = seen.shadow.write[cell];
  if (!seen.touch.shared || write < kInFlight) return;
  uint32_t lane = 0;
  const Block& block = *seen.context.block;
  const AsyncCopy* const copy = copy_to(block, seen.address_of(cell), lane);
  if (copy == nullptr || copy->numbering != races_of(block).numbering) {
    write = 0;
    return;
  }
  write = copy->started + lane;
  report(seen, cell, write, false, true);
}

void RaceDetector::check_sources(Context& context, const Step* step) {
  const MemoryForm& form = context.frame->code->accesses[step->e];
  for (const Warp& warp : context.block->warps) {
    if (!warp.copies) continue;
    for (const AsyncCopy& copy : warp.copies->pending) {
      if (copy.mask == 0 || copy.low >= copy.high) continue;
      for (uint32_t left = context.mask; left; left &= left - 1) {
        const uint32_t lane = first_lane(left);
        const uint64_t at = stored_to(context, step, form, lane);
        if (at >= copy.high || at + form.size() <= copy.low) continue;
        if (meet_source(context, step, copy, lane, at)) break;
      }
    }
  }
}

bool RaceDetector::meet_source(Context& context, const Step* step,
                               const AsyncCopy& copy, uint32_t lane,
                               uint64_t at) const {
  const MemoryForm& form = context.frame->code->accesses[step->e];
  for (uint32_t left = copy.mask; left; left &= left - 1) {
    const uint32_t by = first_lane(left);
    const bool apart = at >= copy.source[by] + copy.source_bytes[by] ||
                       at + form.size() <= copy.source[by];
    if (apart) continue;
    const RacePlace& its = places_[copy.place];
    FindingRecord record = record_at(context, step, MtFinding_RaceGlobal, lane);
    record.other.function = its.code->index;
    record.other.instruction = its.step->instruction;
    record.other.block = context.block->number;
    record.other.thread = copy.warp * kLanes + by;
    record.other.callers = its.callers;
    record.space = MtSpace_Global;
    record.access = access_of(form);
    record.address = at;
    record.size = form.size();
    record.detail =
        "the other thread copies from; the copy was not waited for: wait for it "
        "(cp.async.wait_group, pipeline.consumer_wait(), barrier.wait()) and let the "
        "threads meet before its source changes";
    if (launch_.launch->checks & MtCheck_Race) context.findings->note(context, record);
    return true;
  }
  return false;
}

}  // namespace minitorch::emulator
