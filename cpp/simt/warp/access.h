// The load and store handlers of every space: check, then move. For the isa_*.cpp
// sources only.
#pragma once

#include "simt/warp/transfer.h"

namespace minitorch::simt {

/// A load whose generic addresses are those of the kernel's parameters (slots.cpp).
const Step* load_generic_parameter(Context& context, const Step* step);

}  // namespace minitorch::simt

namespace minitorch::simt::MINITORCH_ISA {
namespace {

template <class A>
[[gnu::always_inline]] inline const AddressRow<A>* addresses(const LaneState& state,
                                                             const Step* step) {
  return reinterpret_cast<const AddressRow<A>*>(state.registers + step->a);
}

template <class A>
[[gnu::always_inline]] inline const Pattern& pattern_of(const LaneState& state,
                                                        const Step* step) {
  Pattern& pattern = state.patterns[step->pattern];
  if (!pattern.valid) find_pattern<A>(pattern, addresses<A>(state, step));
  return pattern;
}

inline const Step* after_load(LaneState& state, const Step* step) {
  state.patterns[step->clears_pattern].valid = 0;
  return step + 1;
}

// Visits the touched bytes as few runs as the pattern allows; false when `visit` was
// false for one of them.
template <bool kFull, class A, class Visit>
[[gnu::always_inline]] inline bool each_run(const LaneState& state, const Step* step,
                                            const Pattern& pattern, uint32_t size,
                                            Visit visit) {
  const uint64_t offset = static_cast<uint64_t>(step->immediate);
  if (kFull && pattern.strided) {
    const uint64_t low = pattern.base[0] + offset, high = pattern.base[1] + offset;
    if (gapless(pattern, size)) return visit(low, 32 * uint64_t{size});
    if (pattern.stride == size) return visit(low, 16 * size) & visit(high, 16 * size);
    if (pattern.stride == 0) return visit(low, size) & visit(high, size);
  }
  const AddressRow<A>* address = addresses<A>(state, step);
  bool all = true;
  for (uint32_t left = state.mask; left; left &= left - 1) {
    all &= visit(address[first_lane(left)] + offset, size);
  }
  return all;
}

template <bool kStore, uint32_t kBytes, uint32_t kVector>
struct Global {
  using M = typename UnsignedOf<kBytes>::type;
  using A = uint64_t;
  static constexpr uint32_t kSize = kBytes * kVector;

  template <bool kFull>
  static const Step* run(LaneState& lane_state, const Step* step) {
    Context& state = context(lane_state);
    const Pattern& pattern = pattern_of<A>(state, step);
    const AddressRow<A>* address = addresses<A>(state, step);
    const uint64_t offset = static_cast<uint64_t>(step->immediate);
    AllocationHit& hit = state.hits[step->e];
    if (!stays_within<A>(state, pattern, address, kSize, offset, hit.low, hit.high) ||
        ((pattern.low_bits | offset) & (kSize - 1)) != 0) {
      if (!admit_global(state, step, hit)) return nullptr;
    }
    if constexpr (kStore) {
      store_lanes<M, kVector, kFull, A>(state, pattern, address, offset,
                                        Rows<M, kVector>::stored(state, step));
      each_run<kFull, A>(state, step, pattern, kSize, [&](uint64_t at, uint64_t size) {
        if (!bits_are_set(state, at, size)) mark_written(state, at, size);
        return true;
      });
      return step + 1;
    } else {
      load_lanes<M, kVector, kFull, A>(state, pattern, address, offset,
                                       Rows<M, kVector>::loaded(state, step));
      return after_load(state, step);
    }
  }
};

// All lanes, by a strided pattern whose addresses are known to be fine; of stores also
// that all of the allocation counts as written.
template <bool kStore, uint32_t kBytes, uint32_t kVector>
struct Unchecked {
  using M = typename UnsignedOf<kBytes>::type;

  template <bool kFull>
  static const Step* run(LaneState& state, const Step* step) {
    const Pattern& pattern = state.patterns[step->pattern];
    const Row<uint64_t>* address = addresses<uint64_t>(state, step);
    const uint64_t offset = static_cast<uint64_t>(step->immediate);
    if constexpr (kStore) {
      store_lanes<M, kVector, true, uint64_t>(state, pattern, address, offset,
                                              Rows<M, kVector>::stored(state, step));
    } else {
      load_lanes<M, kVector, true, uint64_t>(state, pattern, address, offset,
                                             Rows<M, kVector>::loaded(state, step));
    }
    return step + 1;
  }
};

// The same where the lanes' elements follow each other without a gap.
template <bool kStore, uint32_t kBytes>
struct Contiguous {
  using M = typename UnsignedOf<kBytes>::type;

  template <bool kFull>
  static const Step* run(LaneState& state, const Step* step) {
    auto* const memory = reinterpret_cast<void*>(
        state.patterns[step->pattern].base[0] + static_cast<uint64_t>(step->immediate));
    if constexpr (kStore) {
      std::memcpy(memory, row<M>(state, step->b), kLanes * kBytes);
    } else {
      std::memcpy(row<M>(state, step->d), memory, kLanes * kBytes);
    }
    return step + 1;
  }
};

template <bool kStore, uint32_t kBytes, uint32_t kVector, class A>
struct Shared {
  using M = typename UnsignedOf<kBytes>::type;
  static constexpr uint32_t kSize = kBytes * kVector;

  template <bool kFull, uint64_t kBias = kSharedBase>
  static const Step* run(LaneState& lane_state, const Step* step) {
    Context& state = context(lane_state);
    const Pattern& pattern = pattern_of<A>(state, step);
    const AddressRow<A>* address = addresses<A>(state, step);
    const uint64_t offset = static_cast<uint64_t>(step->immediate) - kBias;
    const AllocationHit& hit = state.hits[shared_hit(step, kBias)];
    if (!stays_within<A>(state, pattern, address, kSize, offset, hit.low, hit.high) ||
        ((pattern.low_bits | offset) & (kSize - 1)) != 0) {
      if (!admit_shared(state, step, kBias)) return nullptr;
    }
    const uint64_t delta = offset + reinterpret_cast<uint64_t>(state.shared);
    if constexpr (kStore) {
      store_lanes<M, kVector, kFull, A>(state, pattern, address, delta,
                                        Rows<M, kVector>::stored(state, step));
      return step + 1;
    } else {
      load_lanes<M, kVector, kFull, A>(state, pattern, address, delta,
                                       Rows<M, kVector>::loaded(state, step));
      return after_load(state, step);
    }
  }
};

// Local memory is interleaved: 4-byte word w of lane l lies at [w * 32 + l], so that
// lanes which use the same offset move whole rows.
template <bool kStore, uint32_t kBytes, uint32_t kVector, class A>
struct Local {
  using M = typename UnsignedOf<kBytes>::type;
  static constexpr uint32_t kSize = kBytes * kVector;

  [[gnu::always_inline]] static M load(const uint32_t* local, uint64_t at, uint32_t i) {
    const uint32_t* word = local + at / 4 * kLanes + i;
    if constexpr (kBytes == 8) return *word | uint64_t{word[kLanes]} << 32;
    return static_cast<M>(*word >> (8 * (at % 4)));
  }
  [[gnu::always_inline]] static void store(uint32_t* local, uint64_t at, uint32_t i,
                                           M value) {
    uint32_t* word = local + at / 4 * kLanes + i;
    if constexpr (kBytes >= 4) {
      *word = static_cast<uint32_t>(value);
      if constexpr (kBytes == 8) word[kLanes] = static_cast<uint32_t>(value >> 32);
    } else {
      const uint32_t shift = 8 * (at % 4), mask = uint32_t{M(~M{0})} << shift;
      *word = (*word & ~mask) | uint32_t{value} << shift;
    }
  }

  template <bool kFull, uint64_t kBias = kLocalBase>
  static const Step* run(LaneState& lane_state, const Step* step) {
    Context& state = context(lane_state);
    const Pattern& pattern = pattern_of<A>(state, step);
    const AddressRow<A>* address = addresses<A>(state, step);
    const uint64_t offset = static_cast<uint64_t>(step->immediate) - kBias;
    if (!stays_within<A>(state, pattern, address, kSize, offset, 0,
                         state.local_bytes) ||
        ((pattern.low_bits | offset) & (kSize - 1)) != 0) {
      if (!admit_local(state, step, kBias)) return nullptr;
    }
    uint32_t* const local = state.local;
    const auto rows = kStore ? Rows<M, kVector>::stored(state, step)
                             : Rows<M, kVector>::loaded(state, step);
    if (kFull && pattern.strided && pattern.stride == 0 &&
        pattern.base[0] == pattern.base[1]) {
      for (uint32_t v = 0; v < kVector; ++v) {
        const uint64_t at = pattern.base[0] + offset + v * kBytes;
        MINITORCH_LANE_LOOP
        for (uint32_t i = 0; i < kLanes; ++i) {
          if constexpr (kStore)
            store(local, at, i, static_cast<M>(rows.at[v][i]));
          else
            rows.at[v][i] = load(local, at, i);
        }
      }
    } else {
      for (uint32_t left = state.mask; left; left &= left - 1) {
        const uint32_t i = first_lane(left);
        const uint64_t at = address[i] + offset;
        for (uint32_t v = 0; v < kVector; ++v) {
          if constexpr (kStore)
            store(local, at + v * kBytes, i, static_cast<M>(rows.at[v][i]));
          else
            rows.at[v][i] = load(local, at + v * kBytes, i);
        }
      }
    }
    return kStore ? step + 1 : after_load(state, step);
  }
};

// A generic address names its space in its top byte. Lanes in one space go its way
// together; else one space after the other.
template <bool kStore, uint32_t kBytes, uint32_t kVector>
struct Generic {
  using GlobalWay = Global<kStore, kBytes, kVector>;
  using SharedWay = Shared<kStore, kBytes, kVector, uint64_t>;
  using LocalWay = Local<kStore, kBytes, kVector, uint64_t>;

  template <bool kFull>
  static const Step* in_window(LaneState& state, const Step* step, uint64_t window) {
    if (window == kSharedWindow >> 56) {
      return SharedWay::template run<kFull, kSharedBase + kSharedWindow>(state, step);
    }
    if (window == kLocalWindow >> 56) {
      return LocalWay::template run<kFull, kLocalBase + kLocalWindow>(state, step);
    }
    if (!kStore && window == kParamWindow >> 56) {
      return load_generic_parameter(context(state), step);
    }
    return GlobalWay::template run<kFull>(state, step);
  }

  template <bool kFull>
  static const Step* run(LaneState& lane_state, const Step* step) {
    Context& state = context(lane_state);
    const Row<uint64_t>* address = addresses<uint64_t>(state, step);
    const uint64_t offset = static_cast<uint64_t>(step->immediate);
    const uint64_t first = address[first_lane(state.mask)] + offset;
    uint64_t differs = 0;
    for (uint32_t i = 0; i < kLanes; ++i) {
      const uint64_t on = static_cast<uint64_t>(static_cast<int32_t>(state.lanes[i]));
      differs |= ((address[i] + offset) ^ first) & (kFull ? ~uint64_t{0} : on);
    }
    if (differs >> 56 == 0) return in_window<kFull>(state, step, first >> 56);
    const uint32_t mask = state.mask;
    alignas(64) uint64_t copy[kLanes];  // the address row may be the destination
    for (uint32_t i = 0; i < kLanes; ++i) copy[i] = address[i] + offset;
    const Step* result = step + 1;
    for (uint32_t left = mask; left && result;) {
      const uint64_t window = copy[first_lane(left)] >> 56;
      uint32_t group = 0;
      for (uint32_t i = 0; i < kLanes; ++i) {
        group |= copy[i] >> 56 == window ? left & (1u << i) : 0;
      }
      set_mask(state, group);
      result = in_window<false>(state, step, window);
      left &= ~group;
    }
    set_mask(state, mask);
    return result;
  }
};

}  // namespace
}  // namespace minitorch::simt::MINITORCH_ISA
