// Where the probes that count stand, and which slots they have.
#include <map>

#include "simt/program/passes.h"

namespace minitorch::simt {
namespace {

using ptx::Instruction;
using ptx::Op;
using Kind = ptx::Operand::Kind;

MtSpace counted_space_of(ptx::Space space) {
  switch (space) {
    case ptx::Space::Shared:
      return MtSpace_Shared;
    case ptx::Space::Local:
      return MtSpace_Local;
    case ptx::Space::Const:
      return MtSpace_Const;
    default:
      return MtSpace_Global;
  }
}

class Counting {
 public:
  explicit Counting(WarpProgram& program)
      : program_(program), plan_(program.code.counting) {}
  void run();

 private:
  /// Accesses of the present run of instructions that have slots.
  struct CountedAddress {
    Value address;
    ptx::Space space;
    uint32_t size;
    int64_t phase;
    auto operator<=>(const CountedAddress&) const = default;
  };

  WarpOp probe(Probe which, uint32_t slot) const;
  void count_run();
  void count_guard();
  void count_body();
  bool find_counted(const WarpOp& access, const MemoryForm& form, uint32_t* slot);
  void add_access(const MemoryForm& form, uint32_t slot, MtSpace space);
  /// True if there is a probe before the access now.
  bool count_access(size_t at);
  void forget_written();

  std::vector<WarpOp>& ops() { return program_.groups[at_].ops; }
  const Instruction& instruction() const { return program_.instruction(at_); }

  WarpProgram& program_;
  CountPlan& plan_;
  uint32_t at_ = 0;  // instruction
  std::map<CountedAddress, uint32_t> counted_;
};

WarpOp Counting::probe(Probe which, uint32_t slot) const {
  WarpOp op;
  op.kind = WarpOp::Kind::Probe;
  op.probe = which;
  op.number = slot;
  op.instruction = at_;
  return op;
}

/// The same lanes execute what follows, up to the next such place.
void Counting::count_run() {
  counted_.clear();
  const uint32_t slot = plan_.take(2);
  if (!plan_.runs.empty()) plan_.runs.back().end = at_;
  plan_.runs.push_back({at_, program_.instruction_count(), slot});
  insert(ops(), entry_of(ops(), at_), probe(Probe::CountRun, slot));
}

void Counting::count_guard() {
  const uint32_t slot = plan_.take(2);
  plan_.guards.push_back({at_, slot});
  insert(ops(), body_begin(program_, at_), probe(Probe::CountRun, slot));
}

// Accesses of one run whose addresses differ by whole periods of the banks or sectors
// take the same passes: the first is looked at for all of them.
bool Counting::find_counted(const WarpOp& access, const MemoryForm& form,
                            uint32_t* slot) {
  const ptx::Operand& base = instruction().address.base;
  const Op op = instruction().opcode.op;
  const bool plain = (op == Op::Ld || op == Op::St) &&
                     instruction().guard == ptx::kNone && !form.ordered &&
                     form.space != ptx::Space::Generic;
  const bool fixed =
      base.kind != Kind::Register || program_.values.of(base.index) == access.address;
  const int64_t period = form.space == ptx::Space::Shared ? 4 : 32;
  const CountedAddress key = {access.address, form.space, form.size(),
                              ((access.offset % period) + period) % period};
  if (!plain || !fixed) return false;
  const auto [at, fresh] = counted_.try_emplace(key, plan_.slots);
  *slot = at->second;
  return !fresh;
}

void Counting::add_access(const MemoryForm& form, uint32_t slot, MtSpace space) {
  const MtAccess kind = access_of(form);
  // What cp.async copied is stored at the wait, by one of its accesses at a time.
  const bool waits_for_copies = instruction().opcode.op == Op::CpAsyncWait;
  bool request = true;
  for (auto last = plan_.accesses.rbegin(); last != plan_.accesses.rend(); ++last) {
    if (waits_for_copies || last->instruction != at_) break;
    request &= last->space != space || last->kind != kind;
  }
  plan_.accesses.push_back({at_, slot, space, kind, form.size(), request});
}

bool Counting::count_access(size_t at) {
  const WarpOp access = ops()[at];
  const MemoryForm& form = program_.code.accesses[access.access];
  uint32_t slot = plan_.slots;
  const bool known = find_counted(access, form, &slot);
  const bool generic = form.space == ptx::Space::Generic;
  if (!known) slot = plan_.take(generic ? 12 : 4);
  if (generic) {
    add_access(form, slot, MtSpace_Global);
    add_access(form, slot + 4, MtSpace_Shared);
    add_access(form, slot + 8, MtSpace_Local);
  } else {
    add_access(form, slot, counted_space_of(form.space));
  }
  if (known || !program_.engine.probe(Probe::CountAccess, form).full) return false;
  WarpOp& op = insert(ops(), at, access);
  op.kind = WarpOp::Kind::Probe;
  op.probe = Probe::CountAccess;
  op.number = slot;
  return true;
}

void Counting::count_body() {
  for (size_t at = 0; at < ops().size(); ++at) {
    const WarpOp& op = ops()[at];
    if (op.kind == WarpOp::Kind::Access) {
      if (count_access(at)) ++at;
      continue;
    }
    const bool jumps = op.is(Control::JumpTable);
    const bool branches = op.is(Control::Branch) || op.is(Control::BranchNegated);
    if ((!jumps && !branches) || op.around || instruction().uniform) continue;
    const uint32_t slot = plan_.take(1);
    plan_.branches.push_back({at_, slot});
    WarpOp made = probe(jumps ? Probe::CountJump : Probe::CountBranch, slot);
    made.sources = op.sources;
    insert(ops(), at++, std::move(made));
  }
}

void Counting::forget_written() {
  for (const WarpOp& op : ops()) {
    for (Value written : definitions(op)) {
      std::erase_if(counted_,
                    [&](const auto& item) { return item.first.address == written; });
    }
  }
}

void Counting::run() {
  const std::vector<bool> starts = block_starts(program_.function);
  bool parted = false;  // lanes may have gone on one by one
  for (at_ = 0; at_ < program_.instruction_count(); ++at_) {
    if (starts[at_] || parted) count_run();
    parted = ptx::interrupts_path(instruction().opcode.op);
    if (program_.groups[at_].needless) continue;
    if (is_guarded(instruction())) count_guard();
    count_body();
    forget_written();
  }
}

}  // namespace

void count(WarpProgram& program) {
  if (program.checks & MtCheck_Counters) Counting(program).run();
}

}  // namespace minitorch::simt
