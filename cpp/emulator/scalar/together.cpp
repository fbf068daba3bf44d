// Owns barriers and warp operations of the scalar oracle: threads wait until all who
// are needed have come. Must not know other instructions.
#include "emulator/scalar/machine.h"
#include "ptx/matrix.h"

namespace minitorch::emulator::scalar {

using ptx::Collective;
using ptx::Instruction;
using ptx::Op;
using ptx::Shuffle;
using State = Thread::State;

namespace {

bool is_barrier(Op op) { return op == Op::Barrier || op == Op::BarrierRed; }

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
  if (!is_barrier(instruction.opcode.op)) {
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

void Machine::perform(const std::vector<Thread*>& group) {
  const ptx::Opcode& opcode = group[0]->instruction().opcode;
  if (ptx::is_matrix(opcode.op)) {
    perform_matrix(group);
    return release(group);
  }
  uint64_t lanes = 0, yes = 0;
  uint64_t by_lane[kLanes] = {};
  std::vector<uint64_t> values;
  for (const Thread* thread : group) {
    const auto& sources = thread->instruction().sources;
    const uint64_t bits = sources.empty() ? 0 : value(*thread, sources[0]);
    lanes |= uint64_t{1} << thread->lane();
    yes |= (bits & 1) << thread->lane();
    by_lane[thread->lane()] = bits;
    values.push_back(bits);
  }
  for (Thread* thread : group) {
    const Instruction& instruction = thread->instruction();
    const auto& sources = instruction.sources;
    uint64_t out = 0;
    bool flag = false;
    switch (opcode.op) {
      case Op::Shfl: {
        const uint32_t from =
            shuffle_source(opcode.shuffle, thread->lane(),
                           static_cast<uint32_t>(value(*thread, sources[1])),
                           static_cast<uint32_t>(value(*thread, sources[2])), flag);
        out = by_lane[from];
        const bool used =
            opcode.shuffle == Shuffle::Index || opcode.shuffle == Shuffle::Butterfly;
        if (used && (lanes >> from & 1) == 0) {
          fail(*thread, MtFinding_WarpSync,
               "the shuffle reads a lane that has exited or that the mask leaves out");
        }
        break;
      }
      case Op::Vote:
        if (opcode.collective == Collective::All) out = yes == lanes;
        if (opcode.collective == Collective::Any) out = yes != 0;
        if (opcode.collective == Collective::Uni) out = yes == 0 || yes == lanes;
        if (opcode.collective == Collective::Ballot) out = yes;
        break;
      case Op::Match:
        for (const Thread* other : group) {
          const bool same = by_lane[other->lane()] == by_lane[thread->lane()];
          out |= uint64_t{same} << other->lane();
        }
        flag = out == lanes;
        if (opcode.collective == Collective::All && !flag) out = 0;
        break;
      case Op::Redux:
        out = reduce(opcode, values);
        break;
      case Op::Elect:
        out = group[0]->lane();
        flag = thread == group[0];
        break;
      case Op::Activemask:
        out = lanes;
        break;
      default:
        break;
    }
    const auto& to = instruction.destinations;
    if (!to.empty()) write(*thread, to[0], out);
    if (to.size() > 1) write(*thread, to[1], flag);
  }
  release(group);
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

}  // namespace minitorch::emulator::scalar
