// Block barriers: counting threads, waking them, reductions. What happens when a
// barrier cannot complete is stall.cpp's.
#include "base/text.h"
#include "simt/program/engine.h"
#include "simt/warp/context.h"
#include "simt/warp/findings.h"

namespace minitorch::simt {
namespace {

BarrierForm form_of(const Step* step) {
  return static_cast<BarrierForm>(step->immediate);
}

bool reduces(BarrierForm form) { return form >= BarrierForm::Popc; }

/// Threads of this instance that need not be waited for any more. With a thread count,
/// barriers count whole warps: lanes that do not exist or have exited count as arrived.
uint32_t present(const Block& block, uint32_t id) {
  const BarrierState& barrier = block.barriers[id];
  uint32_t threads = barrier.arrived;
  if (barrier.count == 0) return threads;
  for (uint32_t warps = barrier.warps; warps; warps &= warps - 1) {
    const Warp& warp = block.warps[first_lane(warps)];
    const uint32_t arrived = block.counted[id][warp.index];
    threads += lane_count(~arrived & (~warp.lanes | warp.exited));
  }
  return threads;
}

bool is_complete(const Block& block, uint32_t id) {
  const BarrierState& barrier = block.barriers[id];
  if (barrier.arrived == 0) return false;
  const uint32_t need =
      barrier.count != 0 ? barrier.count : block.threads - block.exited;
  return present(block, id) >= need;
}

void write_result(const Parked& parked, const BarrierState& barrier) {
  const BarrierForm form = form_of(parked.step);
  if (!reduces(form)) return;
  auto* const result =
      reinterpret_cast<uint32_t*>(parked.path.frame->registers + parked.step->d);
  const uint32_t mask = parked.path.mask;
  parked.path.frame->patterns[parked.step->clears_pattern].valid = 0;
  if (form == BarrierForm::Popc) {
    for (uint32_t left = mask; left; left &= left - 1) {
      result[first_lane(left)] = barrier.sum;
    }
    return;
  }
  const bool value = form == BarrierForm::And ? barrier.all : barrier.any;
  *result = (*result & ~mask) | (value ? mask : 0);
}

/// Paths of one warp that are at the same place on the same way go on as one.
void push_merged(Warp& warp, const Path& path) {
  for (uint32_t i = 0; i < warp.ready_count; ++i) {
    Path& other = warp.ready[(warp.ready_head + i) % kLanes];
    if (other.at == path.at && other.join == path.join && other.frame == path.frame &&
        other.segment == path.segment) {
      other.mask |= path.mask;
      return;
    }
  }
  warp.push_ready(path);
}

/// The last thread of the block that has left the kernel.
Site site_of_exit(const Block& block) {
  Site site;
  for (const Warp& warp : block.warps) {
    if (warp.exited == 0) continue;
    site.function = warp.exit_function;
    site.instruction = warp.exit_instruction;
    site.thread = warp.index * kLanes + warp.exit_lane;
  }
  site.block = block.number;
  return site;
}

Site site_of_first(const Block& block, const BarrierState& barrier) {
  const uint32_t thread = barrier.first_thread;
  return site_of(block, block.warps[thread / kLanes], *barrier.first_frame,
                 barrier.first->instruction, thread % kLanes);
}

/// The barrier completes although threads have left before it: as on hardware, but
/// often not as meant.
void note_exited(Context& context, Block& block, const BarrierState& barrier) {
  if (block.left_early == barrier.first) return;
  block.left_early = barrier.first;
  FindingRecord record;
  record.kind = MtFinding_BarrierDivergence;
  record.note = true;
  record.site = site_of_first(block, barrier);
  record.other = site_of_exit(block);
  record.detail = "the barrier completes without the threads that have left the kernel";
  context.findings->note(context, record);
}

void release(Context& context, Block& block, uint32_t id) {
  BarrierState& barrier = block.barriers[id];
  const bool whole = barrier.count == 0;
  if (whole && barrier.arrived < block.threads) note_exited(context, block, barrier);
  uint32_t woken = 0;
  for (Warp& warp : block.warps) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < warp.parked_count; ++i) {
      Parked& parked = warp.parked[i];
      if (parked.reason == Parked::Reason::Barrier && parked.barrier == id) {
        write_result(parked, barrier);
        push_merged(warp, parked.path);
        woken |= 1u << warp.index;
        --block.waiting;
      } else {
        if (kept != i) warp.parked[kept] = parked;
        ++kept;
      }
    }
    warp.parked_count = kept;
  }
  const bool all = whole || lane_count(woken) == block.warps.size();
  for (ThreadObserver* const each : context.observers) {
    each->leave_barrier(context, block, id, woken, all);
  }
  barrier = BarrierState{};
}

void add_votes(const Context& context, const Step* step, BarrierState& barrier) {
  const uint32_t predicate =
      *reinterpret_cast<const uint32_t*>(context.registers + step->e);
  const uint32_t yes = predicate & context.mask;
  barrier.sum += lane_count(yes);
  barrier.all &= yes == context.mask;
  barrier.any |= yes != 0;
}

void count_lanes(const Context& context, Block& block, uint32_t id) {
  const uint32_t index = context.warp->index, warp = 1u << index;
  uint32_t& lanes = block.counted[id][index];
  lanes = (block.barriers[id].warps & warp ? lanes : 0) | context.mask;
  block.barriers[id].warps |= warp;
}

uint32_t value_at(const Context& context, uint32_t row, uint32_t lane) {
  return reinterpret_cast<const uint32_t*>(context.registers + row)[lane];
}

/// Which barrier threads come to, and how many threads it counts.
struct BarrierNumbers {
  uint32_t id = 0, count = 0;
  bool operator==(const BarrierNumbers&) const = default;
};

BarrierNumbers numbers_of(const Context& context, const Step* step, uint32_t lane) {
  const uint32_t count = step->b == kNoRow ? 0 : value_at(context, step->b, lane);
  return {value_at(context, step->a, lane), count};
}

/// The executing lanes that come to the same barrier as the first of them.
uint32_t lanes_alike(const Context& context, const Step* step,
                     const BarrierNumbers& numbers) {
  uint32_t alike = 0;
  for (uint32_t left = context.mask; left; left &= left - 1) {
    const uint32_t lane = first_lane(left);
    alike |= numbers_of(context, step, lane) == numbers ? 1u << lane : 0;
  }
  return alike;
}

const Step* refuse(Context& context, const Step* step, uint32_t lane, const Site& other,
                   const std::string& detail) {
  FindingRecord record = record_at(context, step, MtFinding_BarrierDivergence, lane);
  record.other = other;
  record.detail = detail;
  record.stopped = true;
  context.findings->stop(std::move(record));
  context.stop = Stop::Faulted;
  return nullptr;
}

/// bar.sync is one barrier for the warp.
const Step* refuse_mixed(Context& context, const Step* step,
                         const BarrierNumbers& numbers, uint32_t alike) {
  const uint32_t lane = first_lane(context.mask & ~alike);
  const BarrierNumbers others = numbers_of(context, step, lane);
  return refuse(
      context, step, lane, site_at(context, step, first_lane(context.mask)),
      base::text("threads of one warp name different barriers: ", others.id, " for ",
                 others.count, " threads here, ", numbers.id, " for ", numbers.count,
                 " threads there (0 threads: the whole block)"));
}

/// A barrier takes the number of threads from who comes first: others must agree.
const Step* refuse_count(Context& context, const Step* step,
                         const BarrierNumbers& numbers, const BarrierState& barrier) {
  return refuse(context, step, first_lane(context.mask),
                site_of_first(*context.block, barrier),
                base::text("threads count differently at barrier ", numbers.id, ": ",
                           numbers.count, " threads here, ", barrier.count,
                           " there (0: the whole block)"));
}

/// Two different barrier instructions for one instance of barrier 0 of the whole block.
void check_same_barrier(Context& context, const Step* step, uint32_t id,
                        const BarrierState& barrier) {
  if (id != 0 || barrier.count != 0) return;
  FindingRecord record =
      record_at(context, step, MtFinding_BarrierDivergence, first_lane(context.mask));
  record.other = site_of_first(*context.block, barrier);
  record.detail = "threads of one block wait at different barriers";
  context.findings->note(context, record);
}

}  // namespace

const Step* arrive_at_barrier(Context& context, const Step* step) {
  Block& block = *context.block;
  Warp& warp = *context.warp;
  const BarrierForm form = form_of(step);
  const BarrierNumbers numbers = numbers_of(context, step, first_lane(context.mask));
  const auto [id, count] = numbers;
  const uint32_t alike =
      step->c == 0 ? context.mask : lanes_alike(context, step, numbers);
  if (alike != context.mask) {
    const auto& instruction =
        context.frame->code->function->instructions[step->instruction];
    if (instruction.opcode.aligned) return refuse_mixed(context, step, numbers, alike);
    // barrier.sync is each thread's own: those of another barrier come to it next.
    Path rest = current_path(context, step);
    rest.mask = context.mask & ~alike;
    warp.push_ready(rest);
    set_mask(context, alike);
  }
  if (id >= kBarriers || count % kLanes != 0 || count > block.threads + kLanes - 1) {
    return fault(context, step, MtFinding_BarrierDivergence, first_lane(context.mask),
                 "barriers are numbered 0 to 15 and count whole warps of the block");
  }
  BarrierState& barrier = block.barriers[id];
  if (barrier.arrived != 0 && barrier.count != count) {
    return refuse_count(context, step, numbers, barrier);
  }
  if (barrier.arrived == 0) {
    barrier.first = step;
    barrier.count = count;
    barrier.first_frame = context.frame;
    barrier.first_thread = warp.index * kLanes + first_lane(context.mask);
  }
  if (barrier.first != step) {
    check_same_barrier(context, step, id, barrier);
    for (ThreadObserver* const each : context.observers) each->barriers_differ(block);
  }
  barrier.arrived += lane_count(context.mask);
  if (barrier.count != 0) count_lanes(context, block, id);
  if (reduces(form)) add_votes(context, step, barrier);
  const bool waits = form != BarrierForm::Arrive;
  if (waits) {
    Parked& parked = warp.parked[warp.parked_count++];
    save_path(context, step + 1, parked.path);
    parked.step = step;
    parked.reason = Parked::Reason::Barrier;
    parked.barrier = id;
    ++block.waiting;
  }
  if (barrier.count != 0) {
    for (ThreadObserver* const each : context.observers) {
      each->arrive_at_barrier(block, id, warp.index);
    }
  }
  if (is_complete(block, id)) release(context, block, id);
  return waits ? next_path(context) : step + 1;
}

void recheck_barriers(Context& context, Block& block) {
  for (uint32_t id = 0; id < kBarriers; ++id) {
    if (is_complete(block, id)) release(context, block, id);
  }
}

}  // namespace minitorch::simt
