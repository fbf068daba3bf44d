// Barriers and warp operations of the scalar oracle: threads wait until all who are
// needed have come.
#include <iterator>

#include "ptx/matrix.h"
#include "simt/oracle/machine.h"

namespace minitorch::simt::scalar {

using ptx::Collective;
using ptx::Instruction;
using ptx::Op;
using ptx::Shuffle;
using State = Thread::State;

namespace {

/// The lane a shuffle reads from, by the ISA's pseudo code; `inside` is its predicate.
uint32_t shuffle_source(Shuffle mode, uint32_t lane, uint32_t b, uint32_t c,
                        bool& inside) {
  const uint32_t by = b & 31, clamp = c & 31, segment = c >> 8 & 31;
  const int low = static_cast<int>(lane & segment);
  const int limit = low | static_cast<int>(clamp & ~segment);
  int from = 0;
  switch (mode) {
    case Shuffle::Up:
      from = static_cast<int>(lane) - static_cast<int>(by);
      break;
    case Shuffle::Down:
      from = static_cast<int>(lane + by);
      break;
    case Shuffle::Butterfly:
      from = static_cast<int>(lane ^ by);
      break;
    default:
      from = low | static_cast<int>(by & ~segment);
  }
  inside = mode == Shuffle::Up ? from >= limit : from <= limit;
  return inside ? static_cast<uint32_t>(from) : lane;
}

uint64_t reduce(const ptx::Opcode& opcode, const std::vector<uint64_t>& values) {
  ptx::Opcode step;
  step.type = step.source_type = opcode.type;
  switch (opcode.collective) {
    case Collective::Min:
      step.op = Op::Min;
      break;
    case Collective::Max:
      step.op = Op::Max;
      break;
    case Collective::And:
      step.op = Op::And;
      break;
    case Collective::Or:
      step.op = Op::Or;
      break;
    case Collective::Xor:
      step.op = Op::Xor;
      break;
    default:
      step.op = Op::Add;
  }
  Operands operands;
  operands.count = 2;
  operands.of[0] = values[0];
  for (size_t i = 1; i < values.size(); ++i) {
    operands.of[1] = values[i];
    operands.of[0] = evaluate(step, operands).of[0];
  }
  return operands.of[0];
}

}  // namespace

void Machine::wait(Thread& thread, const Instruction& instruction) {
  const auto& sources = instruction.sources;
  if (ptx::facts(instruction.opcode.op).scope == ptx::OpScope::Warp) {
    const bool whole_warp = sources.empty() || ptx::is_matrix(instruction.opcode.op);
    thread.members =
        whole_warp ? kFullMask : static_cast<uint32_t>(value(thread, sources.back()));
    thread.state = State::Together;
    return;
  }
  const size_t numbers = sources.size() - (instruction.opcode.op == Op::BarrierRed);
  thread.barrier = static_cast<uint32_t>(value(thread, sources[0]));
  thread.barrier_count =
      numbers > 1 ? static_cast<uint32_t>(value(thread, sources[1])) : 0;
  if (thread.barrier >= 16 || thread.barrier_count % kLanes != 0) {
    fail(thread, MtFinding_BarrierDivergence,
         "barriers are numbered 0 to 15 and count whole warps of the block");
  }
  for (const Thread& other : threads_) {
    if (other.state != State::AtBarrier) continue;
    const bool same_count = other.barrier_count == thread.barrier_count;
    const bool one_arrival = instruction.opcode.aligned && other.same_place(thread) &&
                             other.index / kLanes == thread.index / kLanes;
    if (one_arrival && (other.barrier != thread.barrier || !same_count)) {
      fail(thread, MtFinding_BarrierDivergence,
           "threads of one warp name different barriers");
    }
    if (other.barrier == thread.barrier && !same_count) {
      fail(thread, MtFinding_BarrierDivergence,
           "threads count differently at a barrier");
    }
  }
  thread.state = State::AtBarrier;
}

bool Machine::release_barriers() {
  bool released = false;
  for (uint32_t id = 0; id < 16; ++id) released |= release_barrier(id);
  return released;
}

bool Machine::release_barrier(uint32_t id) {
  std::vector<Thread*> waiting;
  uint32_t count = 0, alive = 0, warps = 0;
  for (Thread& thread : threads_) {
    alive += thread.state != State::Exited;
    if (thread.state != State::AtBarrier || thread.barrier != id) continue;
    waiting.push_back(&thread);
    count = thread.barrier_count;
    warps |= 1u << thread.index / kLanes;
  }
  if (waiting.empty()) return false;
  uint32_t come = static_cast<uint32_t>(waiting.size()) + arrived_[id];
  if (count != 0) {
    // Barriers with a count take whole warps: lanes that are not there count as come.
    const auto threads = static_cast<uint32_t>(threads_.size());
    for (uint32_t lane = threads; lane < (threads + kLanes - 1) / kLanes * kLanes;
         ++lane) {
      come += warps >> lane / kLanes & 1;
    }
    for (const Thread& thread : threads_) {
      come += thread.state == State::Exited && (warps >> thread.index / kLanes & 1);
    }
  }
  if (come < (count != 0 ? count : alive)) return false;
  uint64_t votes = 0;
  bool all = true;
  for (Thread* thread : waiting) {
    const Instruction& instruction = thread->instruction();
    if (!thread->same_place(*waiting[0]) && id == 0 && count == 0) {
      FindingRecord found = record(*thread, MtFinding_BarrierDivergence);
      found.other = record(*waiting[0], MtFinding_BarrierDivergence).site;
      note(found);
    }
    if (instruction.opcode.op != Op::BarrierRed) continue;
    const bool yes = value(*thread, instruction.sources.back()) & 1;
    votes += yes;
    all &= yes;
  }
  for (Thread* thread : waiting) {
    const Instruction& instruction = thread->instruction();
    if (instruction.opcode.op == Op::BarrierRed) {
      const Collective kind = instruction.opcode.collective;
      const uint64_t bits = kind == Collective::Popc  ? votes
                            : kind == Collective::And ? all
                                                      : votes != 0;
      write(*thread, instruction.destinations[0], bits);
    }
    thread->state = State::Running;
    ++thread->frame().pc;
  }
  arrived_[id] = 0;
  return true;
}

// A group is complete when all living lanes of its member mask wait at one place with
// one mask. activemask has no mask: whoever has come when nobody else can run.
bool Machine::release_groups(bool active_masks) {
  bool released = false;
  for (Thread& first : threads_) {
    if (first.state != State::Together) continue;
    const bool is_active_mask = first.instruction().opcode.op == Op::Activemask;
    if (is_active_mask != active_masks) continue;
    std::vector<Thread*> group;
    uint32_t here = 0, alive = 0;
    const uint32_t warp = first.index / kLanes;
    for (Thread& thread : threads_) {
      if (thread.index / kLanes != warp || thread.state == State::Exited) continue;
      alive |= 1u << thread.lane();
      if (thread.state != State::Together || !thread.same_place(first) ||
          thread.members != first.members) {
        continue;
      }
      group.push_back(&thread);
      here |= 1u << thread.lane();
    }
    if (!active_masks && (first.members & alive & ~here) != 0) continue;
    perform(group);
    released = true;
  }
  return released;
}

namespace {

Exchanged shuffle(const ptx::Opcode& opcode, const Brought& brought, uint32_t lane) {
  Exchanged made;
  const uint32_t from = shuffle_source(
      opcode.shuffle, lane, static_cast<uint32_t>(brought.sources[1][lane]),
      static_cast<uint32_t>(brought.sources[2][lane]), made.flag);
  made.value = brought.sources[0][from];
  const bool used =
      opcode.shuffle == Shuffle::Index || opcode.shuffle == Shuffle::Butterfly;
  made.lost = used && (brought.lanes >> from & 1) == 0;
  return made;
}

Exchanged vote(const ptx::Opcode& opcode, const Brought& brought, uint32_t) {
  const uint64_t yes = brought.yes;
  switch (opcode.collective) {
    case Collective::All:
      return {yes == brought.lanes};
    case Collective::Any:
      return {yes != 0};
    case Collective::Uni:
      return {yes == 0 || yes == brought.lanes};
    case Collective::Ballot:
      return {yes};
    default:
      return {};
  }
}

Exchanged match(const ptx::Opcode& opcode, const Brought& brought, uint32_t lane) {
  const auto& values = brought.sources[0];
  Exchanged made;
  for (const uint32_t other : brought.order) {
    made.value |= uint64_t{values[other] == values[lane]} << other;
  }
  made.flag = made.value == brought.lanes;
  if (opcode.collective == Collective::All && !made.flag) made.value = 0;
  return made;
}

Exchanged reduce(const ptx::Opcode& opcode, const Brought& brought, uint32_t) {
  std::vector<uint64_t> values;
  for (const uint32_t lane : brought.order) values.push_back(brought.sources[0][lane]);
  return {reduce(opcode, values)};
}

Exchanged elect(const ptx::Opcode&, const Brought& brought, uint32_t lane) {
  return {brought.order[0], lane == brought.order[0]};
}

Exchanged active_lanes(const ptx::Opcode&, const Brought& brought, uint32_t) {
  return {brought.lanes};
}

Exchanged nothing(const ptx::Opcode&, const Brought&, uint32_t) { return {}; }

}  // namespace

void Machine::perform(const std::vector<Thread*>& group) {
  struct Together {
    Op op;
    Exchange exchange;
    void (Machine::*matrix)(const std::vector<Thread*>& group);
  };
  static constexpr Together kTogether[] = {
      {Op::Shfl, &shuffle, nullptr},
      {Op::Vote, &vote, nullptr},
      {Op::Match, &match, nullptr},
      {Op::Redux, &reduce, nullptr},
      {Op::Elect, &elect, nullptr},
      {Op::Activemask, &active_lanes, nullptr},
      {Op::BarWarpSync, &nothing, nullptr},
      {Op::Mma, nullptr, &Machine::multiply_matrices},
      {Op::WmmaMma, nullptr, &Machine::multiply_matrices},
      {Op::WmmaLoad, nullptr, &Machine::access_fragments},
      {Op::WmmaStore, nullptr, &Machine::access_fragments},
      {Op::Ldmatrix, nullptr, &Machine::load_matrices},
      {Op::Movmatrix, nullptr, &Machine::transpose_matrix},
  };
  static_assert(ptx::covers(kTogether, [](const ptx::OpcodeFacts& facts) {
    return facts.scope == ptx::OpScope::Warp;
  }));
  const Op op = group[0]->instruction().opcode.op;
  for (const Together& row : kTogether) {
    if (row.op != op) continue;
    row.matrix ? (this->*row.matrix)(group) : exchange(group, row.exchange);
  }
  release(group);
}

void Machine::exchange(const std::vector<Thread*>& group, Exchange exchange) {
  Brought brought;
  for (const Thread* thread : group) {
    const auto& sources = thread->instruction().sources;
    const uint32_t lane = thread->lane();
    for (size_t i = 0; i < sources.size() && i < std::size(brought.sources); ++i) {
      brought.sources[i][lane] = value(*thread, sources[i]);
    }
    brought.lanes |= uint64_t{1} << lane;
    brought.yes |= (brought.sources[0][lane] & 1) << lane;
    brought.order.push_back(lane);
  }
  for (Thread* thread : group) {
    const Instruction& instruction = thread->instruction();
    const Exchanged made = exchange(instruction.opcode, brought, thread->lane());
    if (made.lost) {
      fail(*thread, MtFinding_WarpSync,
           "the shuffle reads a lane that has exited or that the mask leaves out");
    }
    const auto& to = instruction.destinations;
    if (!to.empty()) write(*thread, to[0], made.value);
    if (to.size() > 1) write(*thread, to[1], made.flag);
  }
}

void Machine::release(const std::vector<Thread*>& group) {
  for (Thread* thread : group) {
    thread->state = State::Running;
    ++thread->frame().pc;
  }
}

// Nobody can run: the first thread that waits is named.
void Machine::stalled() {
  for (const Thread& thread : threads_) {
    if (thread.state == State::Together) {
      fail(thread, MtFinding_WarpSync, "lanes that the member mask names never arrive");
    }
  }
  const Thread* first = nullptr;
  for (const Thread& thread : threads_) {
    if (thread.state == State::AtBarrier && !first) first = &thread;
  }
  const bool named = first->barrier != 0 || first->barrier_count != 0;
  fail(*first, named ? MtFinding_Deadlock : MtFinding_BarrierDivergence,
       "the barrier waits for threads that never arrive");
}

}  // namespace minitorch::simt::scalar
