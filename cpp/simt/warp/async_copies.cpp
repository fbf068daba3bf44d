#include "simt/warp/async_copies.h"

#include <algorithm>
#include <cstring>

#include "simt/program/engine.h"
#include "simt/warp/context.h"
#include "simt/warp/findings.h"

namespace minitorch::simt {
namespace {

template <class T>
T* row(Context& context, uint32_t offset) {
  return reinterpret_cast<T*>(context.registers + offset);
}

AsyncCopies& copies_of(Context& context) {
  auto& copies = context.warp->copies;
  if (!copies) copies = std::make_unique<AsyncCopies>();
  return *copies;
}

}  // namespace

const Step* start_copy(Context& context, const Step* step) {
  const MemoryForm& form = context.frame->code->accesses[step->e];
  const AllocationHit& hit = context.hits[step->e];
  AsyncCopies& copies = copies_of(context);
  AsyncCopy copy;
  copy.number = copies.next_number++;
  copy.mask = context.mask;
  copy.size = form.size();
  copy.group.fill(0);
  bool inside = true;
  const uint32_t rows[] = {step->b, step->c, step->d, step->d2};
  for (uint32_t left = context.mask; left; left &= left - 1) {
    const uint32_t i = first_lane(left);
    copy.address[i] = lane_address(context, step, i);
    const uint64_t at = copy.address[i] - kSharedBase;
    inside &= hit.holds(at, copy.size) && at % copy.size == 0;
    for (uint32_t w = 0; w < copy.size / 4; ++w) {
      copy.words[w][i] = row<uint32_t>(context, rows[w])[i];
    }
  }
  if (!inside && !admit_shared(context, step, kSharedBase)) return nullptr;
  for (ThreadObserver* const each : context.observers)
    each->begin_copy(context, step, copy);
  copies.pending.push_back(copy);
  return step + 1;
}

const Step* note_source(Context& context, const Step* step) {
  AsyncCopy& copy = copies_of(context).pending.back();
  for (uint32_t left = context.mask; left; left &= left - 1) {
    const uint32_t i = first_lane(left);
    uint32_t bytes = copy.size;
    if (step->b != kNoRow && step->d != 0) {
      const bool none = *row<uint32_t>(context, step->b) >> i & 1;
      bytes = none ? 0 : bytes;
    } else if (step->b != kNoRow) {
      bytes = std::min(bytes, row<uint32_t>(context, step->b)[i]);
    }
    copy.source[i] =
        row<uint64_t>(context, step->a)[i] + static_cast<uint64_t>(step->immediate);
    copy.source_bytes[i] = bytes;
    if (bytes == 0) continue;
    copy.low = std::min(copy.low, copy.source[i]);
    copy.high = std::max(copy.high, copy.source[i] + bytes);
  }
  return step + 1;
}

const Step* check_sources(Context& context, const Step* step) {
  for (ThreadObserver* const each : context.observers)
    each->check_sources(context, step);
  return step + 1;
}

void land_copy(Context& context, AsyncCopy& copy, uint32_t lanes) {
  for (uint32_t left = lanes; left; left &= left - 1) {
    const uint32_t i = first_lane(left);
    uint8_t* const to = context.shared + (copy.address[i] - kSharedBase);
    for (uint32_t w = 0; w < copy.size / 4; ++w) {
      std::memcpy(to + 4 * w, &copy.words[w][i], 4);
    }
  }
  copy.mask &= ~lanes;
  for (ThreadObserver* const each : context.observers) {
    each->land_copy(*context.block, copy, lanes);
  }
}

const Step* commit_copies(Context& context, const Step* step) {
  AsyncCopies& copies = copies_of(context);
  for (uint32_t left = context.mask; left; left &= left - 1) {
    const uint32_t i = first_lane(left);
    ++copies.groups[i];
    for (AsyncCopy& copy : copies.pending) {
      if (copy.group[i] == 0) copy.group[i] = copies.groups[i];
    }
  }
  return step + 1;
}

// Brings the oldest copy that has to arrive into the rows of the store that fits it,
// for its lanes only; past the stores when there is none left.
const Step* next_copy(Context& context, const Step* step) {
  AsyncCopies& copies = copies_of(context);
  const bool all = step->a == kNoRow;
  std::erase_if(copies.pending, [](const AsyncCopy& copy) { return copy.mask == 0; });
  for (AsyncCopy& copy : copies.pending) {
    uint32_t arriving = 0;
    for (uint32_t left = copy.mask & context.mask; left; left &= left - 1) {
      const uint32_t i = first_lane(left);
      const uint64_t kept = all ? 0 : row<uint32_t>(context, step->a)[i];
      const bool arrives =
          all || (copy.group[i] != 0 && copy.group[i] + kept <= copies.groups[i]);
      arriving |= arrives ? 1u << i : 0;
    }
    if (arriving == 0) continue;
    const uint32_t rows[] = {step->b, step->c, step->d2, step->e};
    for (uint32_t left = arriving; left; left &= left - 1) {
      const uint32_t i = first_lane(left);
      row<uint64_t>(context, step->d)[i] = copy.address[i];
      for (uint32_t w = 0; w < copy.size / 4; ++w) {
        row<uint32_t>(context, rows[w])[i] = copy.words[w][i];
      }
    }
    context.patterns[step->clears_pattern].valid = 0;
    copy.mask &= ~arriving;
    for (ThreadObserver* const each : context.observers) {
      each->land_copy(*context.block, copy, arriving);
    }
    copies.waiting = context.mask;
    set_mask(context, arriving);
    const int shift = copy.size == 16 ? 0 : copy.size == 8 ? 16 : 32;
    return step + (step->immediate >> shift & 0xffff);
  }
  return step + (step->immediate >> 48 & 0xffff);
}

const Step* again_copy(Context& context, const Step* step) {
  set_mask(context, copies_of(context).waiting);
  return step - step->b;
}

}  // namespace minitorch::simt
