// Owns the lowering of one function: PTX instructions to steps. lower.cpp holds the
// frame, lower_*.cpp one family each. Must not know how steps are executed.
#pragma once

#include <array>
#include <map>
#include <set>

#include "emulator/context.h"
#include "emulator/engine.h"
#include "emulator/poison.h"
#include "emulator/poison_steps.h"
#include "emulator/probe.h"
#include "emulator/provenance.h"
#include "emulator/register_file.h"

namespace minitorch::emulator {

inline ptx::Opcode opcode_of(ptx::Op op, ptx::Type type) {
  ptx::Opcode opcode;
  opcode.op = op;
  opcode.type = opcode.source_type = type;
  return opcode;
}

/// By instruction, and one past the last: whether a basic block begins there.
std::vector<bool> block_starts(const ptx::Function& function);

class Lowering {
 public:
  /// `checks`: the bits of Launch::checks that want probes.
  /// `reads_local`: the program may read local memory before it writes it.
  Lowering(const LoadedModule& module, const Engine& engine, uint32_t checks,
           bool reads_local, FunctionCode& code);
  void run();

 private:
  using Instruction = ptx::Instruction;
  using Operand = ptx::Operand;

  // lower.cpp
  void find_aliases();
  bool make_alias(const Instruction& instruction);
  void lower(const Instruction& instruction);
  void lower_observed(const Instruction& instruction);
  void lower_guarded(const Instruction& instruction);
  void resolve_targets();
  void set_pattern_slots();

  // instrument.cpp
  /// Puts the probes for accesses before the last step, which is the access.
  /// `races`: it is an access of its own thread, now.
  void probe_access(bool races = true);
  /// The last step only looks at an access or counts: it may move before steps that do
  /// not write the address.
  void mark_access_probe();

  // instrument_counts.cpp
  bool counts() const { return (checks_ & MtCheck_Counters) != 0; }
  Step& count(Probe probe, uint32_t slot);
  /// The same lanes execute what follows, up to the next such place.
  void count_run();
  void count_guard();
  void count_branch(Probe probe, uint32_t row);
  void count_access(const Step& access);
  bool find_counted(const Step& access, const MemoryForm& form, uint32_t* slot);
  void forget_counted(const Instruction& instruction);

  // instrument_trace.cpp
  bool traces() const { return (checks_ & MtCheck_Trace) != 0; }
  void trace_step(const Instruction& instruction);
  /// `accesses`: the instruction has accessed memory.
  void trace_results(const Instruction& instruction, bool accesses);

  // lower_poison.cpp
  /// What follows values that nobody gave, before `instruction` itself.
  void poison(const Instruction& instruction);
  void poison_guard(const Instruction& instruction);
  void poison_operands(const Instruction& instruction);
  void poison_logic(const Instruction& instruction);
  void poison_select(const Instruction& instruction);
  void poison_any(const Instruction& instruction);
  /// Around the last step, which is the access.
  void poison_load(const Instruction& instruction);
  void poison_store(const Instruction& instruction);
  void use_poison(PoisonUse use, const std::vector<Operand>& operands);
  void use_whole(PoisonUse use, const std::vector<Operand>& values, ptx::Type type);
  void define(const Operand& operand);
  uint32_t shadow_source(const Operand& operand, ptx::Type type);
  PoisonForm shadows_of(const std::vector<Operand>& operands, uint32_t rows[4]);
  Step& emit_poison(PoisonStep kind, const PoisonForm& form);
  /// Writes the shadow of the first destination; `rows` are a, b, c and e.
  void emit_poison_of(const Instruction& instruction, PoisonStep kind,
                      const PoisonForm& form, const std::array<uint32_t, 4>& rows);

  // lower_replay.cpp
  void plan_replay();

  // fuse.cpp
  void fuse_dots();
  bool is_triple(uint32_t at, const std::vector<uint32_t>& reads_of,
                 const std::vector<bool>& starts) const;
  bool is_one_step(uint32_t instruction) const;
  uint32_t gather_probes(uint32_t begin, uint32_t end);

  // lower_operands.cpp
  Step& emit(HandlerPair handlers);
  Step& emit(Control control);
  bool emit_arithmetic(ptx::Opcode opcode, uint32_t d, uint32_t a, uint32_t b = 0);
  uint32_t row_of(uint32_t reg);
  /// Row from which `operand` is read as `type`; may emit a conversion before.
  uint32_t source(const Operand& operand, ptx::Type type);
  /// Row into which a result of `type` is written; `finish_result` after the step.
  uint32_t result(const Operand& operand, ptx::Type type);
  void finish_result(const Operand& operand, ptx::Type type);
  uint32_t move_dynamic_special(const Operand& operand, uint32_t lane_bytes);
  void mark_unsupported();
  /// Forgets what is known of the addresses in destinations beyond the first.
  void clear_patterns(const Instruction& instruction);

  // lower_arithmetic.cpp
  /// `shadowed`: which sources are read from shadows, to compute that of the result.
  void lower_arithmetic(const Instruction& instruction, uint32_t shadowed = 0);

  // lower_composed.cpp
  void lower_lop3_test(const Instruction& instruction);
  void lower_set(const Instruction& instruction);
  void lower_address_conversion(const Instruction& instruction);

  // lower_memory.cpp
  void lower_load(const Instruction& instruction);
  void lower_store(const Instruction& instruction);
  void lower_atomic(const Instruction& instruction);
  /// `window`: what a generic address of a parameter has beside its offset.
  void lower_parameter_load(const Instruction& instruction, uint64_t window = 0);
  void lower_parameter_store(const Instruction& instruction);
  MemoryForm form_of(const Instruction& instruction) const;
  /// Before an access that is typical of spin loops.
  void spin_hint(const MemoryForm& form, int64_t cost);
  Step& emit_access(const MemoryForm& form, uint32_t address);
  uint32_t address_row(const ptx::Address& address, MemoryForm& form, int64_t& offset);

  // lower_matrix.cpp
  struct FragmentPiece {
    MemoryForm form;
    int64_t offset;
    const uint32_t* addresses;
    uint32_t count;  // accesses that make up one register
  };
  /// A collective of the whole warp.
  Step& emit_together(const ptx::Opcode& opcode);
  void lower_product(const Instruction& instruction);
  void lower_transposition(const Instruction& instruction);
  void lower_matrix_load(const Instruction& instruction);
  void lower_fragment_access(const Instruction& instruction);
  void load_piece(const FragmentPiece& piece, const Operand& to, ptx::Type type);
  void store_piece(const FragmentPiece& piece, const Operand& from, ptx::Type type);

  // lower_copies.cpp
  void lower_copy(const Instruction& instruction);
  void lower_copy_wait(const Instruction& instruction);
  /// For the search for races: what a copy reads; whether a store changes it meanwhile.
  void note_source(const Instruction& instruction);
  void check_sources(const MemoryForm& form, uint32_t address, int64_t offset);
  void load_copied(const ptx::Address& from, MemoryForm form,
                   const std::array<uint32_t, 4>& words);
  void load_copied_byte(const ptx::Address& from, uint32_t number, uint32_t wanted,
                        uint32_t word);
  void load_part(const Instruction& instruction, uint32_t size,
                 const std::array<uint32_t, 4>& words);
  uint32_t compare(ptx::Comparison comparison, uint32_t a, uint32_t b);

  // lower_mbarrier.cpp
  void lower_mbarrier(const Instruction& instruction);
  void lower_pending_count(const Instruction& instruction);

  // lower_control.cpp
  void lower_branch(const Instruction& instruction);
  void lower_jump_table(const Instruction& instruction);
  void lower_call(const Instruction& instruction);
  void lower_barrier(const Instruction& instruction);
  void lower_collective(const Instruction& instruction);
  void lower_is_space(const Instruction& instruction);
  void lower_index_check(const Instruction& instruction);

  const LoadedModule& module_;
  const Engine& engine_;
  const uint32_t checks_;
  FunctionCode& code_;
  const ptx::Function& function_;
  RegisterFile registers_;
  const std::vector<Provenance> provenance_;  // by register
  PoisonMap poison_;
  bool follows_poison_ = false;
  bool copies_ = false;       // some function of the module uses cp.async
  bool in_shadow_ = false;    // source and result give rows of shadows
  uint32_t instruction_ = 0;  // being lowered
  uint32_t scratch_used_ = 0;
  bool has_carry_ = false;
  uint32_t carry_row_ = 0;
  std::vector<bool> is_marker_;    // instruction is the join of a divergent branch
  std::vector<bool> is_address_;   // registers that memory instructions add to
  std::vector<bool> aliased_;      // registers that are constant rows
  std::vector<bool> skipped_;      // instructions that aliases made needless
  std::vector<uint32_t> step_of_;  // first step of each instruction
  std::vector<bool> lone_loads_;   // barrier_intervals.h
  struct PendingBranch {
    uint32_t step, target, join;  // instruction indices; join may be kNone
  };
  std::vector<PendingBranch> branches_;
  std::set<uint32_t> access_probes_;  // steps; see mark_access_probe
  /// Accesses of the present run of instructions that have slots.
  struct CountedAddress {
    uint32_t row;
    ptx::Space space;
    uint32_t size;
    int64_t phase;
    auto operator<=>(const CountedAddress&) const = default;
  };
  std::map<CountedAddress, uint32_t> counted_;
};

}  // namespace minitorch::emulator
