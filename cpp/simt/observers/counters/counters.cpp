#include "simt/observers/counters/counters.h"

#include "simt/observers/observed.h"
#include "simt/run/replay.h"
#include "simt/warp/launch_state.h"

namespace minitorch::simt {
namespace {

using ptx::Type;

/// What one lane's execution of an opcode adds to a counter of arithmetic.
struct Work {
  MtCounter counter = MtCounter_Count;
  uint64_t each = 0;
};

Work float_work(Type type, uint64_t operations) {
  switch (type) {
    case Type::F16:
    case Type::BF16:
      return {MtCounter_FlopsF16, operations};
    case Type::F16x2:
    case Type::BF16x2:
      return {MtCounter_FlopsF16, 2 * operations};
    case Type::F32:
      return {MtCounter_FlopsF32, operations};
    case Type::F64:
      return {MtCounter_FlopsF64, operations};
    default:
      return {};
  }
}

Work work_of(const ptx::Opcode& opcode) {
  const uint64_t elements =
      opcode.type == Type::F16x2 || opcode.type == Type::BF16x2 ? 2 : 1;
  switch (ptx::facts(opcode.op).counter) {
    case ptx::Counter::Flop:
      return float_work(opcode.type, 1);
    case ptx::Counter::TwoFlops:
      return float_work(opcode.type, 2);
    case ptx::Counter::ApproximateSpecial:
      if (!opcode.approx) return {};
      return {MtCounter_SpecialFunctionOps, 1};
    case ptx::Counter::Special:
      return {MtCounter_SpecialFunctionOps, elements};
    case ptx::Counter::None:
    case ptx::Counter::Tensor:  // by the warp, below
    case ptx::Counter::Branch:
    case ptx::Counter::Barrier:
      return {};
  }
  return {};
}

/// Multiply-adds of floats by one lane.
Work products_of(const ptx::Opcode& opcode) {
  if (ptx::facts(opcode.op).counter != ptx::Counter::TwoFlops) return {};
  switch (opcode.type) {
    case Type::F16:
    case Type::BF16:
      return {MtCounter_FmaF16, 1};
    case Type::F16x2:
    case Type::BF16x2:
      return {MtCounter_FmaF16, 2};
    case Type::F32:
      return {MtCounter_FmaF32, 1};
    case Type::F64:
      return {MtCounter_FmaF64, 1};
    default:
      return {};
  }
}

uint64_t matrix_operations(const ptx::Opcode& opcode) {
  if (ptx::facts(opcode.op).counter != ptx::Counter::Tensor) return 0;
  const ptx::MatrixForm& form = opcode.matrix;
  return 2 * uint64_t{form.m} * form.n * form.k;
}

/// The counters of one kind of access: requests, transactions, bytes.
struct AccessCounters {
  MtCounter requests, transactions, bytes;
};

AccessCounters counters_of(MtSpace space, MtAccess kind) {
  const bool read = kind == MtAccess_Read;
  if (kind == MtAccess_Atomic) {
    return space == MtSpace_Shared ? AccessCounters{MtCounter_AtomicSharedRequests,
                                                    MtCounter_AtomicSharedWavefronts,
                                                    MtCounter_AtomicSharedBytes}
                                   : AccessCounters{MtCounter_AtomicGlobalRequests,
                                                    MtCounter_AtomicGlobalSectors,
                                                    MtCounter_AtomicGlobalBytes};
  }
  switch (space) {
    case MtSpace_Shared:
      return read ? AccessCounters{MtCounter_SharedLoadRequests,
                                   MtCounter_SharedLoadWavefronts,
                                   MtCounter_SharedLoadBytes}
                  : AccessCounters{MtCounter_SharedStoreRequests,
                                   MtCounter_SharedStoreWavefronts,
                                   MtCounter_SharedStoreBytes};
    case MtSpace_Local:
      return read ? AccessCounters{MtCounter_LocalLoadRequests,
                                   MtCounter_LocalLoadSectors, MtCounter_LocalLoadBytes}
                  : AccessCounters{MtCounter_LocalStoreRequests,
                                   MtCounter_LocalStoreSectors,
                                   MtCounter_LocalStoreBytes};
    case MtSpace_Const:
      return {MtCounter_ConstLoadRequests, MtCounter_Count, MtCounter_Count};
    default:
      return read ? AccessCounters{MtCounter_GlobalLoadRequests,
                                   MtCounter_GlobalLoadSectors,
                                   MtCounter_GlobalLoadBytes}
                  : AccessCounters{MtCounter_GlobalStoreRequests,
                                   MtCounter_GlobalStoreSectors,
                                   MtCounter_GlobalStoreBytes};
  }
}

class Tally {
 public:
  Tally(const FunctionCode& code, const uint64_t* counts, Observed& to)
      : code_(code), counts_(counts), to_(to) {}

  void add_all() {
    const CountPlan& plan = code_.counting;
    std::map<uint32_t, const uint64_t*> guards;
    for (const auto& guard : plan.guards) {
      guards[guard.instruction] = counts_ + guard.slot;
    }
    for (const auto& run : plan.runs) {
      const uint64_t* counted = counts_ + run.slot;
      for (uint32_t i = run.begin; i < run.end; ++i) {
        const auto guard = guards.find(i);
        add_instruction(i, counted, guard == guards.end() ? counted : guard->second);
      }
    }
    for (const auto& branch : plan.branches) {
      at(branch.instruction)[MtCounter_DivergentBranches] += counts_[branch.slot];
    }
    for (const auto& access : plan.accesses) add_access(access);
  }

 private:
  Counts& at(uint32_t instruction) {
    const uint32_t position = code_.function->instructions[instruction].position;
    return to_.by_position[position];
  }

  /// `issued`: times and lanes of its run; `executed`: those with the guard.
  void add_instruction(uint32_t index, const uint64_t* issued,
                       const uint64_t* executed) {
    const ptx::Instruction& instruction = code_.function->instructions[index];
    if (issued[0] == 0 || instruction.only_checks) return;
    const ptx::Opcode& opcode = instruction.opcode;
    Counts& counts = at(index);
    counts[MtCounter_PtxWarpInstructions] += issued[0];
    counts[MtCounter_PtxInstructions] += issued[1];
    counts[MtCounter_ActiveLanes] += executed[1];
    const ptx::Counter counter = ptx::facts(opcode.op).counter;
    if (counter == ptx::Counter::Branch) counts[MtCounter_PtxBranches] += issued[0];
    if (counter == ptx::Counter::Barrier) counts[MtCounter_Barriers] += executed[0];
    const Work work = work_of(opcode);
    if (work.each != 0) counts[work.counter] += work.each * executed[1];
    const Work products = products_of(opcode);
    if (products.each != 0) counts[products.counter] += products.each * executed[1];
    counts[MtCounter_TensorOps] += matrix_operations(opcode) * executed[1] / kLanes;
  }

  void add_access(const CountPlan::Access& access) {
    const uint64_t* const counted = counts_ + access.slot;
    if (counted[0] == 0) return;
    const AccessCounters which = counters_of(access.space, access.kind);
    Counts& counts = at(access.instruction);
    if (access.request) counts[which.requests] += counted[0];
    if (which.transactions == MtCounter_Count) return;
    counts[which.transactions] += counted[2];
    counts[which.bytes] += counted[1] * access.size;
    if (access.space == MtSpace_Shared && access.kind != MtAccess_Atomic) {
      counts[MtCounter_SharedBankConflicts] += counted[2] - counted[3];
    }
  }

  const FunctionCode& code_;
  const uint64_t* counts_;
  Observed& to_;
};

}  // namespace

const ObserverRow kCountersRow = {
    MtCheck_Counters, false,
    [](const LaunchState& launch) -> std::unique_ptr<Observer> {
      return std::make_unique<Counters>(launch);
    },
    nullptr};

Counters::Counters(const LaunchState& launch)
    : launch_(launch), counts_(launch.program->count_slots) {}

ReplayPolicy Counters::learn(const Replay& replay) {
  // Counted sectors are the same at distances of whole sectors.
  if (!replay.moves_by(32)) return ReplayPolicy::Never;
  block_counts_ = counts_;
  return ReplayPolicy::Unseen;
}

void Counters::end_replays(uint64_t blocks) {
  for (size_t i = 0; i < block_counts_.size(); ++i) {
    counts_[i] += block_counts_[i] * blocks;
  }
}

void Counters::add(const Observer& other) {
  const auto& counts = static_cast<const Counters&>(other).counts_;
  for (size_t i = 0; i < counts.size(); ++i) counts_[i] += counts[i];
}

void Counters::give(Outcome& outcome) {
  Observed& to = observed_of(outcome);
  to.counted = true;
  for (const FunctionCode& code : launch_.program->functions) {
    if (code.function == nullptr) continue;
    Tally(code, counts_.data(), to).add_all();
  }
}

}  // namespace minitorch::simt
