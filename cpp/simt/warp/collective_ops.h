// What shuffles, votes, match and redux compute once their lanes are together. For the
// isa_*.cpp sources only; bringing lanes together is collectives.cpp's.
#pragma once

#include "ptx/opcode_facts.h"
#include "simt/lanes/rows.h"
#include "simt/warp/context.h"

namespace minitorch::simt::MINITORCH_ISA {

// isa_matrix.cpp's. The source type of those that give addresses is theirs, U32 or U64.
Handler find_matrix_product(const ptx::Opcode& opcode);
Handler find_fragment_addresses(const ptx::Opcode& opcode);
Handler find_row_addresses(const ptx::Opcode& opcode);
Handler find_transposition(const ptx::Opcode& opcode);

namespace {

using ptx::Collective;
using ptx::Op;
using ptx::Shuffle;

// Runs Operation on the executing lanes when they are just the members that `e` names
// (of those that have not exited); else waits for the others.
template <class Operation>
const Step* together(LaneState& lane_state, const Step* step) {
  Context& state = context(lane_state);
  const Row<uint32_t>* members = row<uint32_t>(state, step->e);
  const uint32_t want = members[first_lane(state.mask)];
  uint32_t differs = 0;
  for (uint32_t i = 0; i < kLanes; ++i) {
    const uint32_t on = state.partial ? state.lanes[i] : ~0u;
    differs |= (members[i] ^ want) & on;
  }
  const uint32_t need = want & state.warp->lanes & ~state.warp->exited;
  const bool waits = differs != 0 || need != state.mask;
  if (waits && !state.warp->gathered) return gather_members(state, step);
  Operation::of(state, step);
  state.patterns[step->clears_pattern].valid = 0;
  return state.stop == Stop::Faulted ? nullptr : step + 1;
}

struct Synchronised {
  static void of(Context& state, const Step*) {
    for (ThreadObserver* const each : state.observers) each->sync_lanes(state);
  }
};

/// kShadowed: with the shadows of poison.h, for which the next step holds the rows;
/// then a value that no lane gives is poisoned instead of a fault.
template <Shuffle kMode, bool kShadowed = false>
struct Shuffled {
  // Whether lane i's source is inside its segment; `from` is the lane it reads.
  [[gnu::always_inline]] static bool inside_segment(uint32_t i, uint32_t b, uint32_t c,
                                                    uint32_t& from) {
    const uint32_t by = b & 31, clamp = c & 31, segment = c >> 8 & 31;
    const uint32_t low = i & segment, high = low | (clamp & ~segment);
    bool in = false;
    if constexpr (kMode == Shuffle::Up) {
      from = i - by;
      in = static_cast<int32_t>(from) >= static_cast<int32_t>(high);
    } else {
      if constexpr (kMode == Shuffle::Down) from = i + by;
      if constexpr (kMode == Shuffle::Butterfly) from = i ^ by;
      if constexpr (kMode == Shuffle::Index) from = low | (by & ~segment);
      in = from <= high;
    }
    from = in ? from : i;
    return in;
  }

  static void move_shadows(Context& state, const Step* step, uint32_t lost) {
    const Row<uint32_t>*b = row<uint32_t>(state, step->b),
          *c = row<uint32_t>(state, step->c),
          *shadow = row<uint32_t>(state, (step + 1)->a);
    alignas(64) uint32_t moved[kLanes];
    const uint32_t lost_before = state.warp->lost.lanes;
    uint32_t passed_on = 0;
    for (uint32_t i = 0; i < kLanes; ++i) {
      uint32_t from = 0;
      inside_segment(i, b[i], c[i], from);
      moved[i] = lost >> i & 1 ? ~0u : shadow[from];
      if (moved[i] != 0 && (lost_before >> from & 1)) passed_on |= 1u << i;
    }
    state.warp->lost.lanes |= passed_on & state.mask;
    Row<uint32_t>* to = row<uint32_t>(state, (step + 1)->d);
    for (uint32_t left = state.mask; left; left &= left - 1) {
      const uint32_t i = first_lane(left);
      to[i] = moved[i];
    }
    if (lost != 0) {
      state.warp->lost.lanes |= lost;
      state.warp->lost.function = state.frame->code->index;
      state.warp->lost.instruction = step->instruction;
    }
  }

  static void of(Context& state, const Step* step) {
    const Row<uint32_t>*a = row<uint32_t>(state, step->a),
          *b = row<uint32_t>(state, step->b), *c = row<uint32_t>(state, step->c);
    alignas(64) uint32_t value[kLanes];
    uint32_t inside = 0, lost = 0;
    for (uint32_t i = 0; i < kLanes; ++i) {
      uint32_t from = 0;
      inside |= inside_segment(i, b[i], c[i], from) ? 1u << i : 0;
      // Lanes that do not take part have no value to give.
      const bool known = state.mask >> from & 1;
      value[i] = known ? a[from] : 0;
      lost |= known ? 0 : 1u << i;
    }
    // What up and down bring from beyond the members, reductions throw away.
    constexpr bool kUsed = kMode == Shuffle::Index || kMode == Shuffle::Butterfly;
    if constexpr (kShadowed) move_shadows(state, step, lost & state.mask);
    const bool wrong = !kShadowed && !tolerates_lost_lanes(state);
    if (wrong && kUsed && (lost & state.mask) != 0) {
      fault(state, step, MtFinding_WarpSync, first_lane(lost & state.mask),
            "the shuffle reads a lane that has exited or that the mask leaves out");
      return;
    }
    Row<uint32_t>* d = row<uint32_t>(state, step->d);
    for (uint32_t left = state.mask; left; left &= left - 1) {
      const uint32_t i = first_lane(left);
      d[i] = value[i];
    }
    if (step->d2) set_predicate(state, step->d2, inside);
  }
};

template <Collective kKind>
struct Voted {
  static void of(Context& state, const Step* step) {
    const uint32_t yes = mask_row(state, step->a) & state.mask;
    if constexpr (kKind == Collective::Ballot) {
      Row<uint32_t>* d = row<uint32_t>(state, step->d);
      for (uint32_t left = state.mask; left; left &= left - 1)
        d[first_lane(left)] = yes;
    } else {
      bool result = yes != 0;  // any
      if constexpr (kKind == Collective::All) result = yes == state.mask;
      if constexpr (kKind == Collective::Uni) result = yes == 0 || yes == state.mask;
      set_predicate(state, step->d, result ? kFullMask : 0);
    }
  }
};

template <class T, bool kAll>
struct Matched {
  static void of(Context& state, const Step* step) {
    const Row<T>* a = row<T>(state, step->a);
    Row<uint32_t>* d = row<uint32_t>(state, step->d);
    alignas(64) uint32_t result[kLanes] = {};
    uint32_t same_everywhere = 0;
    for (uint32_t left = state.mask; left; left &= left - 1) {
      const uint32_t i = first_lane(left);
      for (uint32_t other = state.mask; other; other &= other - 1) {
        const uint32_t j = first_lane(other);
        result[i] |= a[i] == a[j] ? 1u << j : 0;
      }
      if (result[i] == state.mask) same_everywhere |= 1u << i;
      if (kAll && result[i] != state.mask) result[i] = 0;
    }
    for (uint32_t left = state.mask; left; left &= left - 1) {
      const uint32_t i = first_lane(left);
      d[i] = result[i];
    }
    if (step->d2) set_predicate(state, step->d2, same_everywhere);
  }
};

template <class T, Collective kKind>
struct Reduced {
  static void of(Context& state, const Step* step) {
    const Row<uint32_t>* a = row<uint32_t>(state, step->a);
    Row<uint32_t>* d = row<uint32_t>(state, step->d);
    T result = static_cast<T>(a[first_lane(state.mask)]);
    for (uint32_t left = state.mask & (state.mask - 1); left; left &= left - 1) {
      const T value = static_cast<T>(a[first_lane(left)]);
      if constexpr (kKind == Collective::Add) {
        result = static_cast<T>(static_cast<uint32_t>(result) +
                                static_cast<uint32_t>(value));
      }
      if constexpr (kKind == Collective::Min) result = value < result ? value : result;
      if constexpr (kKind == Collective::Max) result = value > result ? value : result;
      if constexpr (kKind == Collective::And) result = result & value;
      if constexpr (kKind == Collective::Or) result = result | value;
      if constexpr (kKind == Collective::Xor) result = result ^ value;
    }
    for (uint32_t left = state.mask; left; left &= left - 1) {
      d[first_lane(left)] = static_cast<uint32_t>(result);
    }
  }
};

struct Elected {
  static void of(Context& state, const Step* step) {
    const uint32_t leader = first_lane(state.mask);
    Row<uint32_t>* d = row<uint32_t>(state, step->d);
    for (uint32_t left = state.mask; left; left &= left - 1) {
      d[first_lane(left)] = leader;
    }
    if (step->d2) set_predicate(state, step->d2, 1u << leader);
  }
};

inline const Step* active_mask(LaneState& state, const Step* step) {
  Row<uint32_t>* d = row<uint32_t>(state, step->d);
  for (uint32_t left = state.mask; left; left &= left - 1) {
    d[first_lane(left)] = state.mask;
  }
  state.patterns[step->clears_pattern].valid = 0;
  return step + 1;
}

template <class T>
Handler find_redux(Collective kind) {
  switch (kind) {
    case Collective::Add:
      return &together<Reduced<T, Collective::Add>>;
    case Collective::Min:
      return &together<Reduced<T, Collective::Min>>;
    case Collective::Max:
      return &together<Reduced<T, Collective::Max>>;
    case Collective::And:
      return &together<Reduced<T, Collective::And>>;
    case Collective::Or:
      return &together<Reduced<T, Collective::Or>>;
    case Collective::Xor:
      return &together<Reduced<T, Collective::Xor>>;
    default:
      return nullptr;
  }
}

inline Handler find_shuffle(Shuffle mode) {
  switch (mode) {
    case Shuffle::Up:
      return &together<Shuffled<Shuffle::Up>>;
    case Shuffle::Down:
      return &together<Shuffled<Shuffle::Down>>;
    case Shuffle::Butterfly:
      return &together<Shuffled<Shuffle::Butterfly>>;
    case Shuffle::Index:
      return &together<Shuffled<Shuffle::Index>>;
    default:
      return nullptr;
  }
}

inline HandlerPair find_shadowed_shuffle(Shuffle mode) {
  Handler handler = nullptr;
  if (mode == Shuffle::Up) handler = &together<Shuffled<Shuffle::Up, true>>;
  if (mode == Shuffle::Down) handler = &together<Shuffled<Shuffle::Down, true>>;
  if (mode == Shuffle::Butterfly)
    handler = &together<Shuffled<Shuffle::Butterfly, true>>;
  if (mode == Shuffle::Index) handler = &together<Shuffled<Shuffle::Index, true>>;
  return {handler, handler};
}

inline Handler find_vote(Collective kind) {
  switch (kind) {
    case Collective::All:
      return &together<Voted<Collective::All>>;
    case Collective::Any:
      return &together<Voted<Collective::Any>>;
    case Collective::Uni:
      return &together<Voted<Collective::Uni>>;
    case Collective::Ballot:
      return &together<Voted<Collective::Ballot>>;
    default:
      return nullptr;
  }
}

inline Handler find_match(const ptx::Opcode& opcode) {
  const bool all = opcode.collective == Collective::All;
  if (ptx::size_of(opcode.type) == 8) {
    return all ? &together<Matched<uint64_t, true>>
               : &together<Matched<uint64_t, false>>;
  }
  return all ? &together<Matched<uint32_t, true>> : &together<Matched<uint32_t, false>>;
}

struct Collectives {
  Op op;
  Handler (*find)(const ptx::Opcode&);
};
constexpr Collectives kCollectives[] = {
    {Op::BarWarpSync,
     [](const ptx::Opcode&) -> Handler { return &together<Synchronised>; }},
    {Op::Shfl, [](const ptx::Opcode& opcode) { return find_shuffle(opcode.shuffle); }},
    {Op::Vote, [](const ptx::Opcode& opcode) { return find_vote(opcode.collective); }},
    {Op::Match, &find_match},
    {Op::Redux,
     [](const ptx::Opcode& opcode) {
       return ptx::is_signed(opcode.type) ? find_redux<int32_t>(opcode.collective)
                                          : find_redux<uint32_t>(opcode.collective);
     }},
    {Op::Elect, [](const ptx::Opcode&) -> Handler { return &together<Elected>; }},
    {Op::Activemask, [](const ptx::Opcode&) -> Handler { return &active_mask; }},
    {Op::Mma, &find_matrix_product},
    {Op::WmmaMma, &find_matrix_product},
    {Op::WmmaLoad, &find_fragment_addresses},
    {Op::WmmaStore, &find_fragment_addresses},
    {Op::Ldmatrix, &find_row_addresses},
    {Op::Movmatrix, &find_transposition},
};
static_assert(ptx::covers(kCollectives, [](const ptx::OpcodeFacts& facts) {
  return facts.scope == ptx::OpScope::Warp;
}));

inline HandlerPair find_collective(const ptx::Opcode& opcode) {
  for (const Collectives& row : kCollectives) {
    if (row.op != opcode.op) continue;
    const Handler handler = row.find(opcode);
    return {handler, handler};
  }
  return {};
}

}  // namespace
}  // namespace minitorch::simt::MINITORCH_ISA
