// Mbarriers of the scalar oracle: phases, arrivals, copies that a phase waits for, and
// threads that only ask for phases that never end.
#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "simt/oracle/machine.h"

namespace minitorch::simt::scalar {

using ptx::Instruction;
using ptx::Op;

namespace {

/// Rounds in which all that runs asks in vain before the block is given up.
constexpr uint64_t kMostVainRounds = 4096;

bool drops(Op op) { return op == Op::MbarrierDrop || op == Op::MbarrierDropPart; }
bool is_part(Op op) {
  return op == Op::MbarrierArrivePart || op == Op::MbarrierDropPart;
}

}  // namespace

uint64_t Machine::mbarrier_place(Thread& thread, const Instruction& instruction) {
  const auto& base = instruction.address.base;
  const bool generic = instruction.opcode.space == ptx::Space::Generic &&
                       base.kind != ptx::Operand::Kind::Variable;
  uint64_t at = address(thread, instruction.address, instruction.opcode.space);
  if (generic) at -= kSharedWindow;
  const uint8_t* const place =
      place_piece(thread, {ptx::Space::Shared, at, 8, MtAccess_Atomic}, shared_,
                  kSharedBase, MtFinding_OobShared, MtSpace_Shared);
  return static_cast<uint64_t>(place - shared_.data());
}

Machine::Phases& Machine::phases_at(const Thread& thread, uint64_t at) {
  const auto found = mbarriers_.find(at);
  uint64_t bits = 0;
  std::memcpy(&bits, shared_.data() + at, sizeof bits);
  if (found != mbarriers_.end() && found->second.valid &&
      bits == found->second.word.bits()) {
    return found->second;
  }
  FindingRecord missing = record(thread, MtFinding_UninitShared);
  missing.space = MtSpace_Shared;
  missing.access = MtAccess_Atomic;
  missing.address = at;
  missing.size = 8;
  missing.detail = "no mbarrier is here";
  missing.stopped = true;
  throw Fault{missing};
}

void Machine::keep_word(uint64_t at) {
  const uint64_t bits = mbarriers_.at(at).word.bits();
  std::memcpy(shared_.data() + at, &bits, sizeof bits);
  ++mbarrier_changes_;
}

void Machine::init_mbarrier(Thread& thread, const Instruction& instruction) {
  const uint64_t at = mbarrier_place(thread, instruction);
  const auto count = static_cast<uint32_t>(value(thread, instruction.sources[0]));
  if (count == 0 || count > kMostArrivals) {
    fail(thread, MtFinding_BarrierDivergence, "mbarrier: wrong count");
  }
  mbarriers_[at] = {};
  mbarriers_[at].valid = true;
  mbarriers_[at].word = {count, count, 0};
  keep_word(at);
}

void Machine::invalidate_mbarrier(Thread& thread, const Instruction& instruction) {
  const uint64_t at = mbarrier_place(thread, instruction);
  phases_at(thread, at).valid = false;
  std::fill_n(shared_.begin() + static_cast<std::ptrdiff_t>(at), 8, uint8_t{0});
  ++mbarrier_changes_;
}

/// The phase is over: the copies that it waited for arrive, the next one begins.
void Machine::next_phase(Phases& phases) {
  phases.word.phase = phases.word.next_phase();
  phases.word.pending = phases.word.expected;
  for (const auto& [index, number] : phases.copies) {
    auto& copies = threads_[index].copies;
    for (const Copy& copy : copies) {
      if (copy.number != number) continue;
      std::copy(
          copy.bytes.begin(), copy.bytes.end(),
          shared_.begin() + static_cast<std::ptrdiff_t>(copy.address - kSharedBase));
    }
    std::erase_if(copies, [&](const Copy& copy) { return copy.number == number; });
  }
  phases.copies.clear();
}

uint64_t Machine::arrive(Thread& thread, uint64_t at, uint64_t count, Op op) {
  Phases& phases = phases_at(thread, at);
  MbarrierWord& word = phases.word;
  const uint64_t before = word.bits();
  const bool whole = count != 0 && count <= kMostArrivals && count <= word.pending;
  if (!whole || (is_part(op) && count == word.pending) ||
      (drops(op) && count > word.expected)) {
    fail(thread, MtFinding_BarrierDivergence, "mbarrier: wrong number of arrivals");
  }
  if (drops(op)) word.expected -= static_cast<uint32_t>(count);
  word.pending -= static_cast<uint32_t>(count);
  if (word.pending == 0) next_phase(phases);
  keep_word(at);
  return before;
}

void Machine::arrive_with_copies(Thread& thread, const Instruction& instruction) {
  const uint64_t at = mbarrier_place(thread, instruction);
  Phases& phases = phases_at(thread, at);
  for (const Copy& copy : thread.copies) {
    phases.copies.emplace_back(thread.index, copy.number);
  }
  if (instruction.opcode.op == Op::CpAsyncArriveNoinc) {
    arrive(thread, at, 1, instruction.opcode.op);
  } else if (phases.word.pending == kMostArrivals) {
    fail(thread, MtFinding_BarrierDivergence, "mbarrier: too many arrivals");
  }
}

void Machine::ask_mbarrier(Thread& thread, const Instruction& instruction) {
  const Op op = instruction.opcode.op;
  const uint64_t at = mbarrier_place(thread, instruction);
  const uint32_t now = phases_at(thread, at).word.phase;
  const uint64_t asked = value(thread, instruction.sources[0]);
  bool over = ((asked ^ now) & 1) != 0;
  if (op == Op::MbarrierTest || op == Op::MbarrierTry) {
    const MbarrierWord state = MbarrierWord::of(asked);
    over = state.next_phase() == now;
    if (!MbarrierWord::marked(asked) || (!over && state.phase != now)) {
      fail(thread, MtFinding_BarrierDivergence, "mbarrier: a state of another phase");
    }
  }
  write(thread, instruction.destinations[0], over);
  mbarrier_changes_ += over;
  thread.asks = !over;
}

void Machine::arrive_at_mbarrier(Thread& thread, const Instruction& instruction) {
  const auto& sources = instruction.sources;
  const uint64_t count = sources.empty() ? 1 : value(thread, sources[0]) & 0xffffffff;
  const uint64_t at = mbarrier_place(thread, instruction);
  write(thread, instruction.destinations[0],
        arrive(thread, at, count, instruction.opcode.op));
}

void Machine::read_pending_count(Thread& thread, const Instruction& instruction) {
  write(thread, instruction.destinations[0],
        MbarrierWord::of(value(thread, instruction.sources[0])).pending);
}

/// After a round in which nobody left a barrier: gives up when all that runs asks.
void Machine::watch_askers() {
  const Thread* asker = nullptr;
  bool only_ask = mbarrier_changes_ == seen_changes_;
  seen_changes_ = mbarrier_changes_;
  for (Thread& thread : threads_) {
    if (thread.state != Thread::State::Running) continue;
    only_ask &= thread.asks;
    if (thread.asks && !asker) asker = &thread;
    thread.asks = false;
  }
  vain_rounds_ = only_ask && asker ? vain_rounds_ + 1 : 0;
  if (vain_rounds_ > 0) skipped_ += uint64_t{1} << 32;
  if (vain_rounds_ > kMostVainRounds) {
    fail(*asker, MtFinding_Deadlock, "an mbarrier waits for arrivals that never come");
  }
}

}  // namespace minitorch::simt::scalar
