// The executable form: which row holds which value, and which field of a Step says
// what. The only pass that knows either.
#include <algorithm>
#include <map>

#include "base/error.h"
#include "simt/program/passes.h"
#include "simt/program/steering.h"

namespace minitorch::simt {
namespace {

constexpr uint32_t kRowAlignment = 64;

bool changes_by_warp(ptx::Special special) {
  using ptx::Special;
  return (special >= Special::TidX && special <= Special::TidZ) ||
         special == Special::LaneId || special == Special::WarpId ||
         (special >= Special::LaneMaskEq && special <= Special::LaneMaskGt);
}

bool changes_by_block(ptx::Special special) {
  using ptx::Special;
  return (special >= Special::CtaidX && special <= Special::CtaidZ) ||
         special == Special::SmId;
}

/// The register file of a function: rows by value.
class RowLayout {
 public:
  explicit RowLayout(WarpProgram& program);

  uint32_t of(Value value) const { return rows_[value.id]; }

 private:
  uint32_t allocate(uint32_t lane_bytes);
  Slot buffer(uint32_t bytes);
  void lay_out_buffers();
  void add_fill(RowFill fill);
  void clear_at_start();
  void list_steering();

  const WarpProgram& program_;
  FunctionCode& code_;
  std::vector<uint32_t> rows_;
  uint32_t next_ = 0, next_predicate_ = 0, predicates_left_ = 0;
};

RowLayout::RowLayout(WarpProgram& program) : program_(program), code_(program.code) {
  // Row 0 means "no second destination" in some steps: never handed out.
  allocate(0);
  lay_out_buffers();
  for (const Values::Info& info : program.values.all()) {
    const bool none = info.role == Values::Role::None;
    rows_.push_back(none ? 0 : allocate(info.lane_bytes));
    if (info.role != Values::Role::Constant) continue;
    RowFill fill = info.fill;
    fill.row = rows_.back();
    add_fill(fill);
  }
  clear_at_start();
  list_steering();
  code_.frame_bytes = (next_ + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
}

uint32_t RowLayout::allocate(uint32_t lane_bytes) {
  if (lane_bytes == 0) {
    if (predicates_left_ == 0) {
      next_predicate_ = next_;
      next_ += kRowAlignment;
      predicates_left_ = kRowAlignment / 4;
    }
    --predicates_left_;
    const uint32_t row = next_predicate_;
    next_predicate_ += 4;
    return row;
  }
  const uint32_t row = next_;
  next_ += lane_bytes * kLanes;
  return row;
}

Slot RowLayout::buffer(uint32_t bytes) {
  const Slot slot = {next_, bytes};
  next_ += (bytes + 3) / 4 * 4 * kLanes;
  return slot;
}

void RowLayout::lay_out_buffers() {
  const ptx::Function& function = program_.function;
  if (!function.entry) code_.parameters = buffer(function.parameter_bytes);
  code_.returns = buffer(function.return_bytes);
  code_.arguments = buffer(function.call_argument_bytes);
  code_.call_results = buffer(function.call_return_bytes);
  code_.local_bytes = (function.local_bytes + 15) / 16 * 16;
  for (uint32_t index : function.own_variables) {
    const ptx::Variable& variable = program_.module.module->variables[index];
    if (variable.space != ptx::Space::Local) continue;
    code_.local_end = std::max(code_.local_end,
                               static_cast<uint32_t>(variable.offset + variable.size));
  }
}

void RowLayout::add_fill(RowFill fill) {
  using Kind = RowFill::Kind;
  const bool special = fill.kind == Kind::Special;
  if (fill.kind == Kind::Local) {
    code_.frame_rows.push_back(fill);
  } else if (special && changes_by_warp(fill.special)) {
    code_.warp_rows.push_back(fill);
  } else if (special && changes_by_block(fill.special)) {
    code_.block_rows.push_back(fill);
  } else {
    code_.launch_rows.push_back(fill);
  }
}

void RowLayout::clear_at_start() {
  const Values& values = program_.values;
  for (uint32_t reg : program_.function.maybe_undefined) {
    if (!values.known(reg)) continue;
    const uint32_t bytes = values.lane_bytes(reg);
    const uint32_t size = bytes != 0 ? bytes * kLanes : 4;
    code_.undefined_rows.push_back({of(values.known(reg)), size});
    const Value shadow = values.known_shadow(reg);
    if (shadow && !program_.poison.only_divisions)
      code_.poisoned_rows.push_back({of(shadow), size});
  }
  if (!program_.poison.only_divisions) return;
  for (uint32_t reg = 0; reg < program_.function.registers.size(); ++reg) {
    const Value shadow = values.known_shadow(reg);
    if (!shadow) continue;
    const uint32_t bytes = values.lane_bytes(reg);
    code_.division_rows.push_back({of(shadow), bytes != 0 ? bytes * kLanes : 4});
  }
}

void RowLayout::list_steering() {
  const std::vector<bool> steers = find_steering(program_);
  const auto& values = program_.values.all();
  for (uint32_t id = 1; id < values.size(); ++id) {
    if (!steers[id] || values[id].role != Values::Role::Register) continue;
    const uint32_t bytes = values[id].lane_bytes;
    code_.steering_rows.push_back({rows_[id], bytes != 0 ? bytes * kLanes : 4});
  }
}

class Emission {
 public:
  explicit Emission(WarpProgram& program)
      : program_(program), code_(program.code), rows_(program) {}
  void run();

 private:
  void number_patterns();
  void number_steps();
  HandlerPair handlers_of(const WarpOp& op) const;
  void emit(const WarpOp& op, uint32_t at);
  void set_lane(Step& step, const WarpOp& op) const;
  void set_collective(Step& step, const WarpOp& op) const;
  void set_product(Step& step, const WarpOp& op);
  void set_access(Step& step, const WarpOp& op) const;
  void set_probe(Step& step, const WarpOp& op) const;
  void set_definedness(Step& step, const WarpOp& op) const;
  void set_control(Step& step, const WarpOp& op, uint32_t at);
  void set_target(Step& step, const WarpOp& op, uint32_t at) const;
  void set_copy(Step& step, const WarpOp& op, uint32_t at) const;
  void set_mbarrier(Step& step, const WarpOp& op) const;
  void set_slot(Step& step, const WarpOp& op) const;
  void set_index_check(Step& step, const WarpOp& op);
  /// Steps from `from` on to the first of the kind.
  uint32_t distance_to(Control control, uint32_t from) const;
  uint32_t distance_back(Control control, uint32_t from) const;
  void finish_replay();

  /// The row of operand `k`; `missing` where there is none.
  uint32_t source(const WarpOp& op, size_t k, uint32_t missing = 0) const {
    return row(op.sources, k, missing);
  }
  uint32_t result(const WarpOp& op, size_t k) const { return row(op.results, k, 0); }
  uint32_t row(const std::vector<Value>& values, size_t k, uint32_t missing) const {
    return k < values.size() && values[k] ? rows_.of(values[k]) : missing;
  }

  WarpProgram& program_;
  FunctionCode& code_;
  const RowLayout rows_;
  std::map<Value, uint16_t> patterns_;  // slots, by address
  std::vector<const WarpOp*> ops_;      // by step
  std::vector<uint32_t> step_of_;       // first step of each instruction
};

void Emission::number_patterns() {
  for (const WarpOp* op : ops_) {
    if (op->kind != WarpOp::Kind::Access) continue;
    const auto [at, fresh] = patterns_.try_emplace(op->address, uint16_t{0});
    if (!fresh) continue;
    if (code_.pattern_count > UINT16_MAX) {
      throw base::StateError("emulator",
                             "got a function with more than 65535 address "
                             "registers; need fewer.");
    }
    at->second = static_cast<uint16_t>(code_.pattern_count++);
  }
}

void Emission::number_steps() {
  for (const WarpProgram::Group& group : program_.groups) {
    step_of_.push_back(static_cast<uint32_t>(ops_.size()));
    for (const WarpOp& op : group.ops) ops_.push_back(&op);
  }
}

HandlerPair Emission::handlers_of(const WarpOp& op) const {
  const Engine& engine = program_.engine;
  const MemoryForm form =
      op.access == ptx::kNone ? MemoryForm{} : code_.accesses[op.access];
  switch (op.kind) {
    case WarpOp::Kind::Lane:
      return find_arithmetic(op.opcode, engine.isa);
    case WarpOp::Kind::Collective:
    case WarpOp::Kind::Product:
    case WarpOp::Kind::MatrixAddress:
    case WarpOp::Kind::FragmentAddress:
      return engine.collective(op.opcode);
    case WarpOp::Kind::ShadowedShuffle:
      return engine.shadowed_shuffle(op.opcode.shuffle);
    case WarpOp::Kind::Access: {
      HandlerPair handlers = engine.memory(form);
      if (op.fused_triples != 0) handlers.full = engine.fused_dot;
      return handlers;
    }
    case WarpOp::Kind::Control:
      return engine.control(op.control);
    case WarpOp::Kind::Probe:
      return engine.probe(op.probe, form);
    case WarpOp::Kind::Definedness:
      return find_poison_step(op.shadow, program_.poison.only_divisions);
  }
  return {};
}

// The layouts of lanes/arithmetic.h.
void Emission::set_lane(Step& step, const WarpOp& op) const {
  const bool unpacks = op.results.size() > 2;
  step.a = source(op, 0);
  step.b = unpacks ? result(op, 2) : source(op, 1);
  step.c = unpacks ? result(op, 3) : source(op, 2);
  step.e = source(op, 3);
  step.d = result(op, 0);
  step.d2 = result(op, 1);
}

void Emission::set_collective(Step& step, const WarpOp& op) const {
  set_lane(step, op);
  if (op.kind == WarpOp::Kind::MatrixAddress) {
    step.c = op.element;
    step.immediate = op.offset;
  }
  if (op.kind == WarpOp::Kind::FragmentAddress) {
    step.b = source(op, 1, kNoRow);
    step.c = op.element;
    step.e = op.number;
  }
}

void Emission::set_product(Step& step, const WarpOp& op) {
  MatrixStep& matrix = code_.matrices[op.number];
  size_t next = 0;
  for (FragmentRows* fragment : {&matrix.a, &matrix.b, &matrix.c}) {
    for (uint32_t& row : fragment->rows) row = source(op, next++);
  }
  matrix.d.rows.clear();
  for (Value to : op.results) matrix.d.rows.push_back(rows_.of(to));
  step.b = op.number;
  step.d = matrix.d.rows[0];
  step.e = source(op, next);  // the members
}

void Emission::set_access(Step& step, const WarpOp& op) const {
  step.a = rows_.of(op.address);
  step.immediate = op.offset;
  step.e = op.access;
  step.pattern = patterns_.at(op.address);
  switch (code_.accesses[op.access].kind) {
    case MemoryForm::Kind::Load:
      step.d = result(op, 0);
      step.d2 = result(op, 1);
      step.b = op.fused_triples != 0 ? op.fused_triples : result(op, 2);
      step.c = result(op, 3);
      break;
    case MemoryForm::Kind::Store:
      step.b = source(op, 0);
      step.c = source(op, 1);
      step.d = source(op, 2);
      step.d2 = source(op, 3);
      break;
    case MemoryForm::Kind::Atomic:
      step.b = source(op, 0);
      step.c = source(op, 1);
      step.d = result(op, 0);
  }
}

void Emission::set_probe(Step& step, const WarpOp& op) const {
  switch (op.probe) {
    case Probe::Uninitialised:
    case Probe::CountAccess:
      set_access(step, op);
      step.d2 = op.number;
      return;
    case Probe::LocalPoison:
    case Probe::Race:
    case Probe::LoneLoad:
    case Probe::Footprint:
    case Probe::Sectors:
    case Probe::TraceAccess:
      return set_access(step, op);
    case Probe::CountRun:
    case Probe::CountBranch:
    case Probe::CountJump:
      step.a = source(op, 0);
      step.d2 = op.number;
      return;
    case Probe::TraceStep:
      step.a = source(op, 0, kNoRow);
      step.b = op.negated ? 1 : 0;
      step.e = op.number;
      return;
    case Probe::TraceResult:
      step.a = source(op, 0);
      step.b = op.bytes;
      step.e = op.number;
      return;
    case Probe::TraceValues:
      return;
  }
}

void Emission::set_definedness(Step& step, const WarpOp& op) const {
  if (op.shadow == PoisonStep::Forget) return set_access(step, op);
  set_lane(step, op);
  if (op.shadow != PoisonStep::Pass) step.immediate = op.form.packed();
}

uint32_t Emission::distance_to(Control control, uint32_t from) const {
  uint32_t at = from;
  while (!ops_[at]->is(control)) ++at;
  return at - from;
}

uint32_t Emission::distance_back(Control control, uint32_t from) const {
  uint32_t at = from;
  while (!ops_[at]->is(control)) --at;
  return from - at;
}

void Emission::set_target(Step& step, const WarpOp& op, uint32_t at) const {
  step.a = source(op, 0);
  if (op.around) {
    const uint32_t next = op.instruction + 2;  // behind the one that it goes around
    step.b = step.c = step_of_[next] - 1 - at;
    while (!ops_[at + step.b]->is(Control::Join)) step.c = --step.b;
    step.d = next;
    return;
  }
  if (op.target == ptx::kNone) return;
  step.b = step_of_[op.target] - at;
  step.d = op.target;
  if (op.join != ptx::kNone) step.c = step_of_[op.join] - at;
}

void Emission::set_copy(Step& step, const WarpOp& op, uint32_t at) const {
  if (op.control == Control::AgainCopy) {
    step.b = distance_back(Control::NextCopy, at);
    return;
  }
  if (op.control == Control::NextCopy) {
    step.a = source(op, 0, kNoRow);
    step.d = result(op, 0);
    step.b = result(op, 1);
    step.c = result(op, 2);
    step.d2 = result(op, 3);
    step.e = result(op, 4);
    uint64_t ways = 0, way = 1;
    for (int shift = 0; shift < 64; shift += 16) {
      ways |= way << shift;
      if (shift < 48) way += distance_to(Control::AgainCopy, at + way) + 1;
    }
    step.immediate = static_cast<int64_t>(ways);
    return;
  }
  step.a = rows_.of(op.address);
  step.immediate = op.offset;
  if (op.control == Control::NoteSource) {
    step.b = source(op, 0, kNoRow);
    step.d = op.number;
    return;
  }
  step.e = op.access;
  step.b = source(op, 0);
  step.c = source(op, 1);
  step.d = source(op, 2);
  step.d2 = source(op, 3);
}

void Emission::set_mbarrier(Step& step, const WarpOp& op) const {
  step.a = rows_.of(op.address);
  step.immediate = op.offset;
  step.b = source(op, 0, kNoRow);
  step.c = op.number;
  step.d = result(op, 0);
  step.e = op.access;
}

void Emission::set_slot(Step& step, const WarpOp& op) const {
  const Slot* const slots[] = {&code_.parameters, &code_.returns, &code_.arguments,
                               &code_.call_results};
  const uint32_t buffer = slots[static_cast<size_t>(op.buffer)]->row;
  const bool loads = op.control == Control::LoadSlot;
  step.a = loads ? buffer : source(op, 0);
  step.d = loads ? result(op, 0) : buffer;
  step.b = op.bytes;
  step.immediate = op.offset;
}

void Emission::set_index_check(Step& step, const WarpOp& op) {
  IndexCheck::Dimension& dimension =
      code_.index_checks[op.number].dimensions[op.element];
  dimension.index = step.a = source(op, 0);
  dimension.extent = step.b = source(op, 1);
  dimension.address = source(op, 2);
  step.e = op.number;
}

// The fields that engine.h names for each.
void Emission::set_control(Step& step, const WarpOp& op, uint32_t at) {
  switch (op.control) {
    case Control::JumpTable:
      step.e = op.number;
      return set_target(step, op, at);
    case Control::Branch:
    case Control::BranchNegated:
    case Control::Jump:
      return set_target(step, op, at);
    case Control::Guard:
    case Control::GuardNegated:
      step.a = source(op, 0);
      step.b = distance_to(Control::Unguard, at) + 1;
      return;
    case Control::Call:
      step.b = op.number;
      return;
    case Control::CallIndirect:
      step.a = source(op, 0);
      return;
    case Control::CheckIndex:
      return set_index_check(step, op);
    case Control::SpinHint:
      step.a = op.number;
      step.b = op.address ? rows_.of(op.address) : kNoRow;
      step.c = op.bytes;
      step.d = static_cast<uint32_t>(op.immediate);
      step.immediate = op.offset;
      return;
    case Control::Fence:
      step.immediate = op.immediate;
      return;
    case Control::Barrier:
      step.a = source(op, 0);
      step.b = source(op, 1, kNoRow);
      step.c = op.number;
      step.d = result(op, 0);
      step.e = source(op, 2);
      step.immediate = op.immediate;
      return;
    case Control::Clock:
      step.d = result(op, 0);
      step.b = op.bytes;
      step.immediate = op.immediate;
      return;
    case Control::IsSpace:
      step.a = source(op, 0);
      step.d = result(op, 0);
      step.immediate = op.immediate;
      return;
    case Control::ClearPattern:
      step.d = rows_.of(op.forgets);
      return;
    case Control::SignExtend8:
    case Control::SignExtend8To32:
    case Control::SignExtend16To32:
      step.d = result(op, 0);
      return;
    case Control::LoadParameterAt:
      step.a = source(op, 0);
      step.d = result(op, 0);
      step.b = op.bytes;
      step.d2 = op.number;
      step.immediate = op.offset;
      return;
    case Control::LoadSlot:
    case Control::StoreSlot:
      return set_slot(step, op);
    case Control::StartCopy:
    case Control::NextCopy:
    case Control::AgainCopy:
    case Control::NoteSource:
    case Control::CheckSources:
      return set_copy(step, op, at);
    case Control::MbarrierInit:
    case Control::MbarrierInval:
    case Control::MbarrierArrive:
    case Control::MbarrierTest:
    case Control::CopyArrive:
      return set_mbarrier(step, op);
    case Control::MbarrierPending:
      step.a = source(op, 0);
      step.d = result(op, 0);
      return;
    case Control::Join:
    case Control::Unguard:
    case Control::Exit:
    case Control::CallVprintf:
    case Control::CallMalloc:
    case Control::CallFree:
    case Control::CallAssert:
    case Control::Return:
    case Control::Trap:
    case Control::Unsupported:
    case Control::CheckDivision:
    case Control::CommitCopies:
      return;
  }
}

void Emission::emit(const WarpOp& op, uint32_t at) {
  Step& step = code_.steps.emplace_back();
  const HandlerPair handlers = handlers_of(op);
  step.run[0] = handlers.full;
  step.run[1] = handlers.masked;
  step.instruction = op.instruction;
  switch (op.kind) {
    case WarpOp::Kind::Lane:
      set_lane(step, op);
      break;
    case WarpOp::Kind::Collective:
    case WarpOp::Kind::ShadowedShuffle:
    case WarpOp::Kind::MatrixAddress:
    case WarpOp::Kind::FragmentAddress:
      set_collective(step, op);
      break;
    case WarpOp::Kind::Product:
      set_product(step, op);
      break;
    case WarpOp::Kind::Access:
      set_access(step, op);
      break;
    case WarpOp::Kind::Control:
      set_control(step, op, at);
      break;
    case WarpOp::Kind::Probe:
      set_probe(step, op);
      break;
    case WarpOp::Kind::Definedness:
      set_definedness(step, op);
  }
  if (op.forgets) step.clears_pattern = patterns_.at(op.forgets);
}

/// Numbers become rows, and the steps that are left to do are copied.
void Emission::finish_replay() {
  if (!program_.replay) return;
  ReplayPlan& plan = *program_.replay;
  const auto lay_out = [&](RowNumber& number) { number.row = rows_.of({number.row}); };
  for (ReplayPlan::Linear& linear : plan.linears) {
    lay_out(linear.value);
    for (ReplayPlan::Term& term : linear.terms) lay_out(term.factor);
  }
  for (ReplayPlan::Side& side : plan.unwrapped) lay_out(side.value);
  for (ReplayPlan::Guard& guard : plan.guards) {
    lay_out(guard.left.value);
    lay_out(guard.right.value);
  }
  size_t accesses = 0;
  for (size_t at = 0; at < ops_.size(); ++at) {
    if (!ops_[at]->replayed) continue;
    const Step& step = code_.steps[at];
    plan.steps.push_back(step);
    if (ops_[at]->kind != WarpOp::Kind::Access) continue;
    ReplayPlan::Access& access = plan.accesses[accesses++];
    access.number = step.e;
    access.instruction = step.instruction;
    access.pattern = step.pattern;
  }
  code_.replay = program_.replay;
}

void Emission::run() {
  number_steps();
  number_patterns();
  code_.steps.reserve(ops_.size());
  for (uint32_t at = 0; at < ops_.size(); ++at) emit(*ops_[at], at);
  for (JumpTable& table : code_.tables) {
    for (uint32_t& target : table.steps) target = step_of_[target];
  }
  finish_replay();
}

}  // namespace

void emit_steps(WarpProgram& program) { Emission(program).run(); }

}  // namespace minitorch::simt
