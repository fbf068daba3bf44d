// The state of the scalar oracle while one block runs: threads, frames, shared memory,
// barriers. One thread runs at a time, one instruction at a time, straight from
// ptx::Program; no step of it is fast.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "simt/oracle/evaluate.h"
#include "simt/warp/findings.h"
#include "simt/warp/launch_state.h"
#include "simt/warp/mbarrier.h"

namespace minitorch::simt::scalar {

/// Ends a block: thrown where the fault happens, caught by run_scalar.
struct Fault {
  FindingRecord record;
};

/// Bits of a register that a division by zero left without a value.
struct Undefined {
  uint64_t bits = 0;
  std::set<uint32_t> divisions;  // instructions of the same function
};

/// One activation of a function in one thread.
struct Frame {
  const ptx::Function* function = nullptr;
  uint32_t index = 0;  // of the function in the module
  uint32_t pc = 0;
  uint32_t local_base = 0;
  bool carry = false;
  std::vector<uint64_t> registers;           // raw bits, zero above the type's width
  std::vector<Undefined> undefined;          // by register
  std::vector<uint8_t> parameters, returns;  // as callee
  std::vector<uint8_t> arguments, results;   // of the calls it makes
};

/// A cp.async on its way to shared memory.
struct Copy {
  uint64_t address = 0;
  uint64_t group = 0;   // number of its commit, from 1; 0 before that
  uint64_t number = 0;  // among those of its thread
  std::vector<uint8_t> bytes;
};

struct Thread {
  enum class State : uint8_t { Running, AtBarrier, Together, Exited };
  uint32_t index = 0;  // linear index in its block
  State state = State::Running;
  std::vector<Frame> frames;
  std::vector<uint8_t> local;
  uint64_t executed = 0;
  uint32_t barrier = 0, barrier_count = 0;  // AtBarrier: which one
  uint32_t members = 0;                     // Together: the member mask
  std::vector<Copy> copies;
  uint64_t groups = 0;   // committed
  uint64_t started = 0;  // copies
  bool asks = false;     // its turn has ended with a test of an mbarrier in vain

  uint32_t lane() const { return index % kLanes; }
  Frame& frame() { return frames.back(); }
  const Frame& frame() const { return frames.back(); }
  const ptx::Instruction& instruction() const {
    return frame().function->instructions[frame().pc];
  }
  /// Whether another thread waits at the same instruction.
  bool same_place(const Thread& other) const {
    return frame().function == other.frame().function && frame().pc == other.frame().pc;
  }
};

/// What the lanes of a group that has come together give each other.
struct Brought {
  uint64_t sources[3][kLanes] = {};
  uint64_t lanes = 0, yes = 0;  // a bit each: who is there, whose first source is odd
  std::vector<uint32_t> order;  // the lanes, lowest first
};
/// ... and what one of them gets. `lost`: from a lane that is not there.
struct Exchanged {
  uint64_t value = 0;
  bool flag = false, lost = false;
};
using Exchange = Exchanged (*)(const ptx::Opcode& opcode, const Brought& brought,
                               uint32_t lane);

/// Findings that do not stop a launch, with how often they were seen.
using NoteKey = std::tuple<int32_t, uint32_t, uint32_t>;  // kind, function, instruction
using Notes = std::map<NoteKey, std::pair<FindingRecord, uint64_t>>;

class Machine {
 public:
  Machine(const LaunchState& launch, Notes& notes, uint64_t block);

  /// Runs the block to its end. Raises Fault.
  void run();
  uint64_t executed() const { return executed_; }  // thread instructions

 private:
  // execute.cpp: one instruction of one thread.
  void step(Thread& thread);
  void execute(Thread& thread, const ptx::Instruction& instruction);
  void check_indices(Thread& thread, const ptx::Instruction& instruction);
  void arithmetic(Thread& thread, const ptx::Instruction& instruction);
  void load(Thread& thread, const ptx::Instruction& instruction);
  void store(Thread& thread, const ptx::Instruction& instruction);
  void atomic(Thread& thread, const ptx::Instruction& instruction);
  void convert_address(Thread& thread, const ptx::Instruction& instruction);

  // definedness.cpp: results of divisions by zero.
  static Undefined undefined(const Thread& thread, const ptx::Operand& operand);
  void use(Thread& thread, const ptx::Operand& operand);
  void use_operands(Thread& thread, const ptx::Instruction& instruction);
  static uint64_t undefined_bits(const Thread& thread,
                                 const ptx::Instruction& instruction,
                                 const Operands& operands, size_t k);
  static std::vector<Undefined> undefined_results(const Thread& thread,
                                                  const ptx::Instruction& instruction,
                                                  const Operands& operands,
                                                  bool divided);

  // copies.cpp: cp.async.
  void copy_async(Thread& thread, const ptx::Instruction& instruction);
  static void commit_copies(Thread& thread);
  void wait_for_copies(Thread& thread, const ptx::Instruction& instruction);

  // mbarriers.cpp: phases of mbarriers.
  struct Phases {
    MbarrierWord word;
    bool valid = false;
    std::vector<std::pair<uint32_t, uint64_t>> copies;  // thread, number
  };
  void init_mbarrier(Thread& thread, const ptx::Instruction& instruction);
  void invalidate_mbarrier(Thread& thread, const ptx::Instruction& instruction);
  void arrive_at_mbarrier(Thread& thread, const ptx::Instruction& instruction);
  void arrive_with_copies(Thread& thread, const ptx::Instruction& instruction);
  void read_pending_count(Thread& thread, const ptx::Instruction& instruction);
  void ask_mbarrier(Thread& thread, const ptx::Instruction& instruction);
  uint64_t arrive(Thread& thread, uint64_t at, uint64_t count, ptx::Op op);
  uint64_t mbarrier_place(Thread& thread, const ptx::Instruction& instruction);
  Phases& phases_at(const Thread& thread, uint64_t at);
  void next_phase(Phases& phases);
  void keep_word(uint64_t at);
  void watch_askers();

  // matrix.cpp: what a warp computes together.
  void multiply_matrices(const std::vector<Thread*>& group);
  void load_matrices(const std::vector<Thread*>& group);
  void transpose_matrix(const std::vector<Thread*>& group);
  void access_fragment(Thread& thread);
  void access_fragments(const std::vector<Thread*>& group);

  // control.cpp: calls, returns and the device runtime.
  void enter(Thread& thread, uint32_t function);
  void call(Thread& thread, const ptx::Instruction& instruction);
  void call_runtime(Thread& thread, const std::string& name);
  void leave(Thread& thread);
  std::string text_at(Thread& thread, uint64_t address);
  static uint64_t runtime_argument(const Frame& frame, size_t offset);
  std::string printed(Thread& thread);

  // operands.cpp: what operands read and write.
  uint64_t value(const Thread& thread, const ptx::Operand& operand) const;
  uint64_t special(const Thread& thread, ptx::Special special) const;
  /// ... `element` bytes behind it, for fragments.
  uint64_t address(const Thread& thread, const ptx::Address& address, ptx::Space space,
                   uint64_t element = 0) const;
  static void write(Thread& thread, const ptx::Operand& operand, uint64_t bits);
  uint8_t* parameter(Thread& thread, const ptx::Instruction& instruction,
                     uint32_t size);

  // access.cpp: checked places in memory.
  struct Access {
    ptx::Space space;
    uint64_t address;
    uint32_t size;
    MtAccess kind;
  };
  uint8_t* place(Thread& thread, const Access& access);
  uint8_t* place_global(Thread& thread, const Access& access);
  uint8_t* place_piece(Thread& thread, const Access& access,
                       std::vector<uint8_t>& bytes, uint64_t base,
                       MtFindingKind outside, MtSpace space);

  // together.cpp: barriers and warp operations.
  void wait(Thread& thread, const ptx::Instruction& instruction);
  bool release_barriers();
  bool release_barrier(uint32_t id);
  bool release_groups(bool active_masks);
  void perform(const std::vector<Thread*>& group);
  void exchange(const std::vector<Thread*>& group, Exchange exchange);
  static void release(const std::vector<Thread*>& group);
  [[noreturn]] void stalled();

  FindingRecord record(const Thread& thread, MtFindingKind kind) const;
  [[noreturn]] void fail(const Thread& thread, MtFindingKind kind,
                         const std::string& detail = "") const;
  void note(const FindingRecord& record);

  const LaunchState& state_;
  const Launch& launch_;
  const ptx::Module& module_;
  std::shared_ptr<const AllocationTable> table_;
  Notes& notes_;
  uint64_t block_;
  std::vector<Thread> threads_;
  std::vector<uint8_t> shared_;
  uint32_t arrived_[16] = {};             // by bar.arrive, per barrier
  std::map<uint64_t, Phases> mbarriers_;  // by offset in shared memory
  uint64_t mbarrier_changes_ = 0, seen_changes_ = 0, vain_rounds_ = 0;
  uint64_t skipped_ = 0;  // ns: time flies while all only ask
  uint64_t executed_ = 0;
};

}  // namespace minitorch::simt::scalar
