// The probes that count: runs of instructions, guards, branches, and the sectors and
// wavefronts of memory accesses, by what is known of all 32 addresses where that is
// enough.
#include "simt/observers/counters/coalescing.h"
#include "simt/observers/counters/counters.h"
#include "simt/warp/access.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

using ptx::Space;

// Fields of these probes: d2 the slot; the rest as the step they stand at.
const Step* count_run(LaneState& lane_state, const Step* step) {
  Context& state = context(lane_state);
  uint64_t* const slot = Counters::of(state, step->d2);
  ++slot[0];
  slot[1] += lane_count(state.mask);
  return step + 1;
}

// a: the predicate.
const Step* count_branch(LaneState& lane_state, const Step* step) {
  Context& state = context(lane_state);
  const uint32_t taken = mask_row(state, step->a) & state.mask;
  *Counters::of(state, step->d2) += taken != 0 && taken != state.mask;
  return step + 1;
}

// a: the index.
const Step* count_jump(LaneState& lane_state, const Step* step) {
  Context& state = context(lane_state);
  const Row<uint32_t>* index = row<uint32_t>(state, step->a);
  bool differs = false;
  for (uint32_t left = state.mask; left; left &= left - 1) {
    differs |= index[first_lane(left)] != index[first_lane(state.mask)];
  }
  *Counters::of(state, step->d2) += differs;
  return step + 1;
}

/// The addresses of an access, each plus `delta`.
template <class A>
struct Addresses {
  const Pattern& pattern;
  const AddressRow<A>* row;
  uint64_t delta;
  uint32_t mask;

  bool strided() const { return mask == kFullMask && pattern.strided; }
  uint64_t base(uint32_t half) const { return pattern.base[half] + delta; }
  template <class Model>
  [[gnu::noinline]] uint32_t each(Model model, uint32_t size) const {
    uint64_t at[kLanes];
    for (uint32_t i = 0; i < kLanes; ++i) at[i] = row[i] + delta;
    return model(at, mask, size);
  }
};

template <class A>
uint32_t sectors(const Addresses<A>& at, uint32_t size) {
  if (!at.strided()) return at.each(&sectors_of, size);
  const uint64_t reach = 15 * uint64_t{at.pattern.stride};
  const uint64_t first0 = at.base(0) / 32, first1 = at.base(1) / 32;
  const uint64_t last0 = (at.base(0) + reach) / 32, last1 = (at.base(1) + reach) / 32;
  const bool dense = at.pattern.stride <= 32;  // all sectors from first to last
  const uint64_t one0 = dense ? last0 - first0 + 1 : 16;
  const uint64_t one1 = dense ? last1 - first1 + 1 : 16;
  if (last0 < first1 || last1 < first0) return static_cast<uint32_t>(one0 + one1);
  if (at.base(0) == at.base(1)) return static_cast<uint32_t>(one0);
  if (!dense) return at.each(&sectors_of, size);
  const uint64_t least = first0 < first1 ? first0 : first1;
  return static_cast<uint32_t>((last0 > last1 ? last0 : last1) - least + 1);
}

uint32_t common_power(uint32_t units, uint32_t most) {
  return units % most == 0 ? most : 1u << __builtin_ctz(units);
}

// A stride of w units meets the same bank again after (banks / gcd(w, banks)) lanes.
template <class A>
uint32_t wavefronts(const Addresses<A>& at, uint32_t size) {
  const uint32_t stride = at.pattern.stride;
  if (!at.strided() || size < 4 || stride % size != 0) {
    return at.each(&wavefronts_of, size);
  }
  if (size == 8) return stride == 0 ? 2 : 2 * common_power(stride / 8, 16);
  if (size == 16) return stride == 0 ? 4 : 4 * common_power(stride / 16, 8);
  const uint64_t distance = at.base(1) - at.base(0);
  if (stride == 0 && distance == 0) return 1;
  if (stride != 0 && distance == 16 * uint64_t{stride}) {
    return common_power(stride / 4, 32);
  }
  if (stride != 0 && distance == 0) {
    const uint32_t same = common_power(stride / 4, 32);
    return same < 2 ? 1 : same / 2;
  }
  return at.each(&wavefronts_of, size);
}

// What is found for all 32 lanes holds until the address register is written; shared
// memory is the same wherever an offset of whole accesses leads.
template <class A>
[[gnu::always_inline]] inline uint32_t known_wavefronts(Pattern& pattern,
                                                        const Addresses<A>& at,
                                                        uint32_t size) {
  if (at.mask != kFullMask) return wavefronts(at, size);
  if (pattern.valid != 1 + size) {
    pattern.wavefronts = static_cast<uint8_t>(wavefronts(at, size));
    pattern.valid = static_cast<uint8_t>(1 + size);
  }
  return pattern.wavefronts;
}

template <class A>
uint32_t local_sectors(const Addresses<A>& at, uint32_t size) {
  const bool uniform =
      at.strided() && at.pattern.stride == 0 && at.base(0) == at.base(1);
  if (uniform) return size <= 4 ? 4 : size;
  return at.each(&local_sectors_of, size);
}

// The slots of an access that may be to several spaces follow each other: global,
// shared, local.
template <class A>
void count_in(Context& state, const Step* step, uint32_t mask, Space space,
              uint64_t bias, uint32_t slot_number) {
  pattern_of<A>(state, step);
  Pattern& pattern = state.patterns[step->pattern];
  const MemoryForm& form = state.frame->code->accesses[step->e];
  const uint32_t size = form.size();
  const bool atomic = form.kind == MemoryForm::Kind::Atomic;
  const Addresses<A> at = {pattern, addresses<A>(state, step),
                           static_cast<uint64_t>(step->immediate) - bias, mask};
  uint64_t* const slot = Counters::of(state, step->d2 + slot_number);
  ++slot[0];
  slot[1] += lane_count(mask);
  if (space == Space::Global) {
    slot[2] += sectors(at, size);
  } else if (space == Space::Local) {
    slot[2] += local_sectors(at, size);
  } else if (atomic) {
    slot[2] += at.each(&atomic_wavefronts_of, size);
  } else {
    slot[2] += known_wavefronts(pattern, at, size);
    slot[3] += mask == kFullMask ? (size <= 4 ? 1 : size / 4) : phases_of(mask, size);
  }
}

template <class A, Space kSpace, uint64_t kBias>
const Step* count_access(LaneState& lane_state, const Step* step) {
  Context& state = context(lane_state);
  count_in<A>(state, step, state.mask, kSpace, kBias, 0);
  return step + 1;
}

const Step* count_generic(LaneState& lane_state, const Step* step) {
  Context& state = context(lane_state);
  const Row<uint64_t>* address = addresses<uint64_t>(state, step);
  const uint64_t offset = static_cast<uint64_t>(step->immediate);
  uint32_t in_shared = 0, in_local = 0;
  for (uint32_t left = state.mask; left; left &= left - 1) {
    const uint32_t i = first_lane(left);
    const uint64_t window = (address[i] + offset) >> 56;
    in_shared |= window == kSharedWindow >> 56 ? 1u << i : 0;
    in_local |= window == kLocalWindow >> 56 ? 1u << i : 0;
  }
  const uint32_t in_global = state.mask & ~in_shared & ~in_local;
  using A = uint64_t;
  if (in_global) count_in<A>(state, step, in_global, Space::Global, 0, 0);
  if (in_shared) {
    count_in<A>(state, step, in_shared, Space::Shared, kSharedBase + kSharedWindow, 4);
  }
  if (in_local) {
    count_in<A>(state, step, in_local, Space::Local, kLocalBase + kLocalWindow, 8);
  }
  return step + 1;
}

HandlerPair both(Handler handler) { return {handler, handler}; }

}  // namespace

HandlerPair find_count_run_probe(const MemoryForm&) { return both(&count_run); }
HandlerPair find_count_branch_probe(const MemoryForm&) { return both(&count_branch); }
HandlerPair find_count_jump_probe(const MemoryForm&) { return both(&count_jump); }

HandlerPair find_count_access_probe(const MemoryForm& form) {
  const bool wide = form.address_bytes == 8;
  switch (form.space) {
    case Space::Global:
    case Space::Const:
      return both(&count_access<uint64_t, Space::Global, 0>);
    case Space::Generic:
      return both(&count_generic);
    case Space::Shared:
      return wide ? both(&count_access<uint64_t, Space::Shared, kSharedBase>)
                  : both(&count_access<uint32_t, Space::Shared, kSharedBase>);
    case Space::Local:
      return wide ? both(&count_access<uint64_t, Space::Local, kLocalBase>)
                  : both(&count_access<uint32_t, Space::Local, kLocalBase>);
    default:
      return {};
  }
}

}  // namespace minitorch::simt::MINITORCH_ISA
