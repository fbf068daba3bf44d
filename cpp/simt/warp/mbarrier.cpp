#include "simt/warp/mbarrier.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "simt/program/engine.h"
#include "simt/warp/context.h"
#include "simt/warp/findings.h"

namespace minitorch::simt {
namespace {

using Offsets = std::array<uint32_t, kLanes>;

template <class T>
T* row(const Context& context, uint32_t at) {
  return reinterpret_cast<T*>(context.registers + at);
}

/// Where each lane's mbarrier lies in shared memory; false after a fault.
bool admit(Context& context, const Step* step, Offsets& at) {
  const uint64_t bias =
      kSharedBase + (step->c & kMbarrierGeneric ? kSharedWindow : uint64_t{0});
  const AllocationHit& hit = context.hits[shared_hit(step, bias)];
  bool inside = true;
  for (uint32_t left = context.mask; left; left &= left - 1) {
    const uint32_t i = first_lane(left);
    const uint64_t offset = lane_address(context, step, i) - bias;
    inside &= offset >= hit.low && offset < hit.high && 8 <= hit.high - offset &&
              offset % 8 == 0;
    at[i] = static_cast<uint32_t>(offset);
  }
  return inside || admit_shared(context, step, bias);
}

void tell_use(Context& context, const Step* step, const Offsets& at, uint32_t lanes) {
  if (lanes == 0) return;
  for (ThreadObserver* const each : context.observers) {
    each->use_mbarriers(context, step, at, lanes);
  }
}

Mbarriers& mbarriers_of(Context& context) {
  auto& mbarriers = context.block->mbarriers;
  if (!mbarriers) {
    mbarriers = std::make_unique<Mbarriers>();
    mbarriers->polls.resize(context.block->warps.size() * kLanes);
  }
  return *mbarriers;
}

/// What shared memory holds of an mbarrier follows what the block knows of it.
void put(const Context& context, uint32_t at, uint64_t bits) {
  std::memcpy(context.shared + at, &bits, sizeof bits);
}

bool refuse(Context& context, const Step* step, uint32_t lane, MtFindingKind kind,
            uint32_t at, std::string detail) {
  FindingRecord record = record_at(context, step, kind, lane);
  record.space = MtSpace_Shared;
  record.access = access_of(form_of(context, step));
  record.address = at;
  record.size = 8;
  record.detail = std::move(detail);
  record.remedy = kind == MtFinding_UninitShared ? MtRemedy_InitialiseBarrier
                                                 : MtRemedy_CountArrivals;
  record.stopped = true;
  context.findings->stop(std::move(record));
  context.stop = Stop::Faulted;
  return false;
}

/// The valid mbarrier at `at`; null after a fault.
Mbarrier* find(Context& context, const Step* step, uint32_t lane, uint32_t at) {
  Mbarriers& mbarriers = mbarriers_of(context);
  const auto found = mbarriers.all.find(at);
  const char* what = "no mbarrier is here: mbarrier.init has not been executed for it";
  if (found != mbarriers.all.end()) {
    Mbarrier& mbarrier = found->second;
    uint64_t bits = 0;
    std::memcpy(&bits, context.shared + at, sizeof bits);
    if (mbarrier.valid && bits == mbarrier.word.bits()) return &mbarrier;
    what = mbarrier.valid ? "the mbarrier here was overwritten by an ordinary store"
                          : "the mbarrier here was invalidated before";
  }
  refuse(context, step, lane, MtFinding_UninitShared, at, what);
  return nullptr;
}

/// The copies that a phase has waited for arrive in shared memory.
void land_copies(Context& context, Mbarrier& mbarrier) {
  for (const AwaitedCopy& awaited : mbarrier.copies) {
    Warp& warp = context.block->warps[awaited.warp];
    auto& pending = warp.copies->pending;
    for (AsyncCopy& copy : pending) {
      const uint32_t lanes = copy.mask & awaited.lanes;
      if (copy.number == awaited.number && lanes) land_copy(context, copy, lanes);
    }
    std::erase_if(pending, [](const AsyncCopy& copy) { return copy.mask == 0; });
  }
  mbarrier.copies.clear();
}

void complete_phase(Context& context, Mbarrier& mbarrier, uint32_t at) {
  MbarrierWord& word = mbarrier.word;
  word.phase = word.next_phase();
  word.pending = mbarrier.needed = word.expected;
  land_copies(context, mbarrier);
  for (ThreadObserver* const each : context.observers) {
    each->complete_phase(*context.block, at);
  }
}

/// Takes `count` arrivals off what the phase waits for; what is wrong with them, or "".
std::string take_arrivals(MbarrierWord& word, uint64_t count, uint32_t flags) {
  if (count == 0 || count > kMostArrivals) {
    return base::text("mbarrier: one arrival counts ", count, "; need 1 to ",
                      kMostArrivals);
  }
  if (count > word.pending) {
    return base::text("mbarrier: ", count, " more arrivals where the phase waits for ",
                      word.pending, " of ", word.expected);
  }
  if ((flags & kMbarrierPart) && count == word.pending) {
    return "mbarrier: an arrival with .noComplete is the last one of its phase";
  }
  if ((flags & kMbarrierDrops) && count > word.expected) {
    return base::text("mbarrier: ", count, " arrivals are dropped of ", word.expected);
  }
  if (flags & kMbarrierDrops) word.expected -= static_cast<uint32_t>(count);
  word.pending -= static_cast<uint32_t>(count);
  return "";
}

/// One lane arrives. Gives the state before; false after a fault.
bool arrive(Context& context, const Step* step, uint32_t lane, uint32_t at,
            uint64_t& state) {
  Mbarrier* const mbarrier = find(context, step, lane, at);
  if (!mbarrier) return false;
  state = mbarrier->word.bits();
  const uint64_t count = step->b == kNoRow ? 1 : row<uint32_t>(context, step->b)[lane];
  const std::string wrong = take_arrivals(mbarrier->word, count, step->c);
  if (!wrong.empty()) {
    return refuse(context, step, lane, MtFinding_BarrierDivergence, at, wrong);
  }
  for (ThreadObserver* const each : context.observers) {
    each->arrive_at_phase(context, at, lane, step->c & kMbarrierRelaxed);
  }
  if (mbarrier->word.pending == 0) complete_phase(context, *mbarrier, at);
  put(context, at, mbarrier->word.bits());
  ++context.block->mbarriers->changes;
  return true;
}

/// Whether a phase is over: 1 yes, 0 no, -1 after a fault.
int ask(Context& context, const Step* step, uint32_t lane, uint32_t at) {
  const Mbarrier* const mbarrier = find(context, step, lane, at);
  if (!mbarrier) return -1;
  const uint32_t now = mbarrier->word.phase;
  if (step->c & kMbarrierParity) {
    return ((row<uint32_t>(context, step->b)[lane] ^ now) & 1) != 0;
  }
  const uint64_t state = row<uint64_t>(context, step->b)[lane];
  const MbarrierWord then = MbarrierWord::of(state);
  if (MbarrierWord::marked(state) && then.phase == now) return 0;
  if (MbarrierWord::marked(state) && then.next_phase() == now) return 1;
  refuse(context, step, lane, MtFinding_BarrierDivergence, at,
         "mbarrier: the state that is waited for is of neither the present nor the "
         "last phase");
  return -1;
}

/// Lanes that have not asked the same before; who asks again sees nothing new.
uint32_t newly_asking(Context& context, const Step* step, const Offsets& at) {
  const auto& polls = mbarriers_of(context).polls;
  uint32_t lanes = 0;
  for (uint32_t left = context.mask; left; left &= left - 1) {
    const uint32_t i = first_lane(left);
    const MbarrierPoll& poll = polls[context.warp->index * kLanes + i];
    lanes |= poll.step == step && poll.at == at[i] ? 0 : 1u << i;
  }
  return lanes;
}

}  // namespace

const Step* init_mbarrier(Context& context, const Step* step) {
  Offsets at;
  if (!admit(context, step, at)) return nullptr;
  tell_use(context, step, at, context.mask);
  for (uint32_t left = context.mask; left; left &= left - 1) {
    const uint32_t i = first_lane(left);
    const uint32_t count = row<uint32_t>(context, step->b)[i];
    if (count == 0 || count > kMostArrivals) {
      refuse(context, step, i, MtFinding_BarrierDivergence, at[i],
             base::text("mbarrier: got ", count, " arrivals a phase; need 1 to ",
                        kMostArrivals));
      return nullptr;
    }
    Mbarrier mbarrier;
    mbarrier.word = {count, count, 0};
    mbarrier.needed = count;
    mbarrier.valid = true;
    put(context, at[i], mbarrier.word.bits());
    mbarriers_of(context).all[at[i]] = std::move(mbarrier);
    ++context.block->mbarriers->changes;
    for (ThreadObserver* const each : context.observers) {
      each->begin_mbarrier(context, step, at[i], i);
    }
  }
  return step + 1;
}

const Step* invalidate_mbarrier(Context& context, const Step* step) {
  Offsets at;
  if (!admit(context, step, at)) return nullptr;
  tell_use(context, step, at, context.mask);
  for (uint32_t left = context.mask; left; left &= left - 1) {
    const uint32_t i = first_lane(left);
    Mbarrier* const mbarrier = find(context, step, i, at[i]);
    if (!mbarrier) return nullptr;
    mbarrier->valid = false;
    put(context, at[i], 0);
    ++context.block->mbarriers->changes;
  }
  return step + 1;
}

const Step* arrive_at_mbarrier(Context& context, const Step* step) {
  Offsets at;
  if (!admit(context, step, at)) return nullptr;
  tell_use(context, step, at, context.mask);
  for (uint32_t left = context.mask; left; left &= left - 1) {
    const uint32_t i = first_lane(left);
    if (!arrive(context, step, i, at[i], row<uint64_t>(context, step->d)[i])) {
      return nullptr;
    }
  }
  for (ThreadObserver* const each : context.observers) each->end_arrivals(context);
  context.patterns[step->clears_pattern].valid = 0;
  return step + 1;
}

const Step* test_mbarrier(Context& context, const Step* step) {
  Offsets at;
  if (!admit(context, step, at)) return nullptr;
  const uint32_t asking = newly_asking(context, step, at);
  tell_use(context, step, at, asking);
  uint32_t over = 0;
  Mbarriers& mbarriers = mbarriers_of(context);
  for (uint32_t left = context.mask; left; left &= left - 1) {
    const uint32_t i = first_lane(left);
    const int answer = ask(context, step, i, at[i]);
    if (answer < 0) return nullptr;
    MbarrierPoll& poll = mbarriers.polls[context.warp->index * kLanes + i];
    poll = {};
    if (answer == 0) {
      poll = {at[i], step, context.frame->code->index};
      continue;
    }
    over |= 1u << i;
    for (ThreadObserver* const each : context.observers) {
      each->leave_phase(context, at[i], i, step->c & kMbarrierRelaxed);
    }
  }
  if (over) ++mbarriers.changes;
  tell_use(context, step, at, over & ~asking);
  context.polls |= over != context.mask;
  auto* const result = row<uint32_t>(context, step->d);
  *result = (*result & ~context.mask) | over;
  return step + 1;
}

const Step* count_pending(Context& context, const Step* step) {
  for (uint32_t left = context.mask; left; left &= left - 1) {
    const uint32_t i = first_lane(left);
    row<uint32_t>(context, step->d)[i] =
        MbarrierWord::of(row<uint64_t>(context, step->a)[i]).pending;
  }
  context.patterns[step->clears_pattern].valid = 0;
  return step + 1;
}

namespace {

/// What the lane has copied so far and not waited for.
void await_copies(const Context& context, Mbarrier& mbarrier, uint32_t lane) {
  if (!context.warp->copies) return;
  const uint32_t warp = context.warp->index;
  auto& awaited = mbarrier.copies;
  for (const AsyncCopy& copy : context.warp->copies->pending) {
    if (!(copy.mask >> lane & 1)) continue;
    const auto known =
        std::find_if(awaited.rbegin(), awaited.rend(), [&](const AwaitedCopy& item) {
          return item.warp == warp && item.number == copy.number;
        });
    if (known == awaited.rend()) {
      awaited.push_back({warp, copy.number, 1u << lane});
    } else {
      known->lanes |= 1u << lane;
    }
  }
}

}  // namespace

const Step* arrive_with_copies(Context& context, const Step* step) {
  Offsets at;
  if (!admit(context, step, at)) return nullptr;
  tell_use(context, step, at, context.mask);
  for (ThreadObserver* const each : context.observers) each->hand_over_copies(context);
  for (uint32_t left = context.mask; left; left &= left - 1) {
    const uint32_t i = first_lane(left);
    Mbarrier* const mbarrier = find(context, step, i, at[i]);
    if (!mbarrier) return nullptr;
    await_copies(context, *mbarrier, i);
    uint64_t state = 0;
    if (step->c & kMbarrierCounted) {
      if (!arrive(context, step, i, at[i], state)) return nullptr;
      continue;
    }
    // One arrival more is waited for, and has come when the copies have.
    if (mbarrier->word.pending == kMostArrivals) {
      refuse(context, step, i, MtFinding_BarrierDivergence, at[i],
             "mbarrier: the phase waits for more arrivals than can be counted");
      return nullptr;
    }
    for (ThreadObserver* const each : context.observers) {
      each->arrive_at_phase(context, at[i], i, false);
    }
    ++context.block->mbarriers->changes;
  }
  for (ThreadObserver* const each : context.observers) each->end_arrivals(context);
  return step + 1;
}

}  // namespace minitorch::simt
