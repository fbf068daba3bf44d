// The operations that follow values that nobody gave: shadows are computed beside the
// values that may be poisoned, and asked for where a value is used (poison.h).
#include <algorithm>
#include <array>

#include "simt/program/passes.h"
#include "simt/program/passes/expand.h"

namespace minitorch::simt {
namespace {

using ptx::Definedness;
using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using ptx::Space;
using ptx::Type;
using Kind = Operand::Kind;

bool same_register(const Instruction& instruction) {
  const auto& from = instruction.sources;
  return from.size() == 2 && from[0].kind == Kind::Register &&
         from[1].kind == Kind::Register && from[0].index == from[1].index;
}

uint8_t width_of(Type type) { return static_cast<uint8_t>(row_bytes(type)); }

PoisonForm empty_form() {
  PoisonForm form;
  std::fill_n(form.width, 4, kNotThere);
  return form;
}

/// The operations that stand before the body of one instruction.
class Shadowing {
 public:
  /// `local`: its access may be one of the thread's own memory.
  Shadowing(OpBuilder& builder, const Instruction& instruction, bool local)
      : builder_(builder),
        poison_(builder.program.poison),
        instruction_(instruction),
        opcode_(instruction.opcode),
        local_(local) {}

  /// Asks for what the guard may be.
  void use_guard();
  /// Asks for what the instruction uses.
  void use_operands();
  /// Computes the shadows of its results.
  void compute();

 private:
  PoisonForm shadows_of(const std::vector<Operand>& operands,
                        std::vector<Value>& shadows);
  void use(PoisonUse use, const std::vector<Operand>& operands);
  /// Of what is given away, values computed from a division count for themselves.
  void use_quotients(const std::vector<Operand>& values);
  void use_whole(PoisonUse use, const std::vector<Operand>& values, Type type);
  void use_stored();
  void define(const Operand& operand);
  bool loads_shadows() const;
  uint32_t steering(uint32_t moved) const;
  void compute_logic();
  void compute_select();
  void compute_any();
  void compute_any(const Operand& to);
  /// Writes the shadow of the first destination.
  void compute_as(PoisonStep kind, const PoisonForm& form, std::vector<Value> sources);

  OpBuilder& builder_;
  const PoisonMap& poison_;
  const Instruction& instruction_;
  const ptx::Opcode& opcode_;
  const bool local_;
};

/// The shadows of those operands that may hold poison, as they are declared.
PoisonForm Shadowing::shadows_of(const std::vector<Operand>& operands,
                                 std::vector<Value>& shadows) {
  PoisonForm form = empty_form();
  for (const Operand& operand : operands) {
    if (!poison_.may_hold(operand) || shadows.size() == 4) continue;
    form.width[shadows.size()] =
        static_cast<uint8_t>(builder_.values.lane_bytes(operand.index));
    shadows.push_back(builder_.values.shadow(operand.index));
    form.origins |= poison_.of(operand);
  }
  return form;
}

void Shadowing::use(PoisonUse use, const std::vector<Operand>& operands) {
  std::vector<Value> shadows;
  PoisonForm form = shadows_of(operands, shadows);
  if (form.origins == 0) return;
  form.use = static_cast<uint8_t>(use);
  builder_.definedness(PoisonStep::Use, form).sources = shadows;
}

void Shadowing::use_quotients(const std::vector<Operand>& values) {
  std::vector<Operand> some;
  for (const Operand& value : values) {
    if (poison_.of(value) & kFromDivision) some.push_back(value);
    if (some.size() < 4) continue;
    use(PoisonUse::Division, some);
    some.clear();
  }
  use(PoisonUse::Division, some);
}

/// Stored or passed on: only what is wholly poisoned counts.
void Shadowing::use_whole(PoisonUse use, const std::vector<Operand>& values,
                          Type type) {
  if (values.empty() || values.size() > 4 || poison_.only_divisions) return;
  PoisonForm form = empty_form();
  std::vector<Value> shadows;
  for (const Operand& value : values) {
    if (!poison_.may_hold(value)) return;
    form.width[shadows.size()] = width_of(type);
    shadows.push_back(builder_.source(value, type, Side::Shadow));
    form.origins |= poison_.of(value);
  }
  form.use = static_cast<uint8_t>(use);
  form.to = static_cast<uint8_t>(ptx::size_of(type));
  builder_.definedness(PoisonStep::Use, form).sources = shadows;
}

void Shadowing::use_guard() {
  if (instruction_.guard == ptx::kNone) return;
  Operand guard;
  guard.kind = Kind::Register;
  guard.index = instruction_.guard;
  use(PoisonUse::Branch, {guard});
}

void Shadowing::use_stored() {
  const auto& sources = instruction_.sources;
  use_quotients(sources);
  if (opcode_.space == Space::Param) {
    const bool argument =
        instruction_.parameter_kind == Instruction::ParameterKind::CallArgument;
    // Of a struct passed by value, parts may well be unused.
    const bool plain = sources.size() == 1 && instruction_.parameter_offset == 0;
    if (argument && plain) use_whole(PoisonUse::Argument, sources, opcode_.type);
  } else if (!poison_.tracks_local || !local_) {
    use_whole(PoisonUse::Store, sources, opcode_.type);
  }
}

void Shadowing::use_operands() {
  const auto& sources = instruction_.sources;
  use(PoisonUse::Address,
      {instruction_.address.base, instruction_.source_address.base});
  switch (ptx::facts(opcode_.op).use) {
    case ptx::Use::Nothing:
      if (gives_away(opcode_.op)) use_quotients(sources);
      return;
    case ptx::Use::Store:
      return use_stored();
    case ptx::Use::Branch:
      return use(PoisonUse::Branch, sources);
    case ptx::Use::Exchange:
      return use(PoisonUse::Exchange, sources);
    case ptx::Use::Steer:
      use_quotients({sources[0]});
      return use(PoisonUse::Exchange, {sources.begin() + 1, sources.end()});
  }
}

void Shadowing::define(const Operand& operand) {
  if (!poison_.may_hold(operand)) return;
  PoisonForm form = empty_form();
  form.to = static_cast<uint8_t>(builder_.values.lane_bytes(operand.index));
  builder_.definedness(PoisonStep::Any, form).results = {
      builder_.values.shadow(operand.index)};
}

void Shadowing::compute_as(PoisonStep kind, const PoisonForm& form,
                           std::vector<Value> sources) {
  const Operand& to = instruction_.destinations[0];
  const Value shadow = builder_.result(to, opcode_.type, Side::Shadow);
  WarpOp& op = builder_.definedness(kind, form);
  op.sources = std::move(sources);
  op.results = {shadow};
  builder_.finish_result(to, opcode_.type, Side::Shadow);
}

void Shadowing::compute_logic() {
  const auto& from = instruction_.sources;
  const Type type = opcode_.type;
  PoisonForm form;
  form.to = width_of(type);
  form.negated = static_cast<uint8_t>(from[0].negated | from[1].negated << 1);
  Operand plain[2] = {from[0], from[1]};
  plain[0].negated = plain[1].negated = false;
  const Value a = builder_.source(from[0], type, Side::Shadow);
  const Value b = builder_.source(from[1], type, Side::Shadow);
  const Value c = builder_.source(plain[0], type);
  const Value e = builder_.source(plain[1], type);
  const bool conjunction = ptx::facts(opcode_.op).definedness == Definedness::And;
  compute_as(conjunction ? PoisonStep::And : PoisonStep::Or, form, {a, b, c, e});
}

void Shadowing::compute_select() {
  const auto& from = instruction_.sources;
  const Type type = opcode_.type;
  PoisonForm form = empty_form();
  form.to = width_of(type);
  Operand predicate = from[2];
  form.negated = predicate.negated;
  predicate.negated = false;
  const Value a = builder_.source(from[0], type, Side::Shadow);
  const Value b = builder_.source(from[1], type, Side::Shadow);
  const Value c = builder_.source(predicate, Type::Pred);
  Value e;
  if (poison_.may_hold(predicate)) {
    form.width[3] = 0;
    e = builder_.values.shadow(predicate.index);
  }
  compute_as(PoisonStep::Select, form, {a, b, c, e});
}

void Shadowing::compute_any(const Operand& to) {
  const auto& sources = instruction_.sources;
  const Value shadow = builder_.values.shadow(to.index);
  const Op op = opcode_.op;
  PoisonStep kind = adds_up(opcode_) ? PoisonStep::Upward : PoisonStep::Any;
  if (ptx::facts(op).definedness == Definedness::Bits) kind = PoisonStep::Merge;
  const bool nothing = same_register(instruction_) && (op == Op::Xor || op == Op::Sub);
  for (size_t first = 0; first == 0 || first < sources.size(); first += 3) {
    const size_t end = std::min(sources.size(), first + 3);
    std::vector<Operand> some(sources.begin() + static_cast<std::ptrdiff_t>(first),
                              sources.begin() + static_cast<std::ptrdiff_t>(end));
    if (nothing) some.clear();
    if (first > 0) some.push_back(to);  // adds to what is there
    std::vector<Value> shadows;
    PoisonForm form = shadows_of(some, shadows);
    form.to = static_cast<uint8_t>(builder_.values.lane_bytes(to.index));
    WarpOp& made = builder_.definedness(kind, form);
    made.sources = std::move(shadows);
    made.results = {shadow};
  }
}

void Shadowing::compute_any() {
  for (const Operand& to : instruction_.destinations) {
    if (poison_.may_hold(to)) compute_any(to);
  }
}

/// Its results get the shadows of what it reads (shadow_load).
bool Shadowing::loads_shadows() const {
  return opcode_.op == Op::Ld && poison_.tracks_local &&
         (opcode_.space == Space::Local || opcode_.space == Space::Generic);
}

/// Sources that may be poisoned and are not moved.
uint32_t Shadowing::steering(uint32_t moved) const {
  uint32_t found = 0;
  for (size_t i = 0; i < instruction_.sources.size() && i < 32; ++i) {
    const bool poisoned = poison_.may_hold(instruction_.sources[i]);
    if (poisoned && !(moved >> i & 1)) found |= 1u << i;
  }
  return found;
}

void Shadowing::compute() {
  const auto& to = instruction_.destinations;
  const bool reached = std::any_of(to.begin(), to.end(), [&](const Operand& operand) {
    return poison_.may_hold(operand);
  });
  const Definedness definedness = ptx::facts(opcode_.op).definedness;
  const bool shuffles = definedness == Definedness::Shuffled;
  // A shuffle brings its own.
  const bool brings = shuffles && (poison_.of(to[0]) & kFromShuffle);
  if (!reached || brings || loads_shadows()) return;
  if (!carries_poison(instruction_) || shuffles) {
    for (const Operand& operand : to) define(operand);
    return;
  }
  const uint32_t moved = moved_sources(instruction_);
  if (moved != 0 && steering(moved) == 0) {
    return expand_arithmetic(builder_, instruction_, moved);
  }
  const bool logic = definedness == Definedness::And || definedness == Definedness::Or;
  if (logic) return compute_logic();
  if (definedness == Definedness::Select) return compute_select();
  compute_any();
}

void splice(std::vector<WarpOp>& ops, size_t at, std::vector<WarpOp>& made) {
  ops.insert(ops.begin() + static_cast<std::ptrdiff_t>(at),
             std::make_move_iterator(made.begin()),
             std::make_move_iterator(made.end()));
  made.clear();
}

/// A load of local memory brings the shadows of what it reads.
void shadow_load(WarpProgram& program, uint32_t i, size_t at) {
  const Instruction& instruction = program.instruction(i);
  const Type type = instruction.opcode.type;
  const auto& to = instruction.destinations;
  std::vector<WarpOp>& ops = program.groups[i].ops;
  WarpOp shadow = ops[at];
  const HandlerPair handlers =
      program.engine.probe(Probe::LocalPoison, program.code.accesses[shadow.access]);
  if (!program.poison.tracks_local || !handlers.full) return;
  std::vector<WarpOp> made;
  OpBuilder builder(program, i, made);
  shadow.kind = WarpOp::Kind::Probe;
  shadow.probe = Probe::LocalPoison;
  for (uint32_t k = 0; k < to.size(); ++k) {
    const bool sink = to[k].kind != Kind::Register;
    shadow.results[k] =
        sink ? builder.values.scratch(Values::Role::Sink, 5 + k, row_bytes(type))
             : builder.result(to[k], type, Side::Shadow);
  }
  made.push_back(std::move(shadow));
  for (const Operand& operand : to) builder.finish_result(operand, type, Side::Shadow);
  splice(ops, at, made);
}

/// A store to local memory takes shadows along; bytes of global memory that get what is
/// not defined are as if never written.
void shadow_store(WarpProgram& program, uint32_t i, size_t at) {
  const Instruction& instruction = program.instruction(i);
  const Space space = instruction.opcode.space;
  const auto& from = instruction.sources;
  std::vector<WarpOp>& ops = program.groups[i].ops;
  WarpOp shadow = ops[at];
  const HandlerPair handlers =
      program.engine.probe(Probe::LocalPoison, program.code.accesses[shadow.access]);
  const bool poisoned = std::any_of(from.begin(), from.end(), [&](const Operand& each) {
    return (program.poison.of(each) & ~kFromDivision) != 0;
  });
  const bool local = program.poison.tracks_local && handlers.full;
  const bool global = poisoned && (space == Space::Global || space == Space::Generic);
  if (!local && !global) return;
  std::vector<WarpOp> made;
  OpBuilder builder(program, i, made);
  for (size_t k = 0; k < from.size(); ++k) {
    shadow.sources[k] = builder.source(from[k], instruction.opcode.type, Side::Shadow);
  }
  if (global) {
    shadow.kind = WarpOp::Kind::Definedness;
    shadow.shadow = PoisonStep::Forget;
    insert(ops, at + 1, shadow);
  }
  if (local) {
    shadow.kind = WarpOp::Kind::Probe;
    shadow.probe = Probe::LocalPoison;
    made.push_back(std::move(shadow));
  }
  splice(ops, at, made);
}

/// The shuffle looks at the operation behind it for its shadows.
void shadow_shuffle(WarpProgram& program, uint32_t i, size_t at) {
  const Instruction& instruction = program.instruction(i);
  std::vector<WarpOp>& ops = program.groups[i].ops;
  ops[at].kind = WarpOp::Kind::ShadowedShuffle;
  std::vector<WarpOp> made;
  OpBuilder builder(program, i, made);
  WarpOp pass;
  pass.kind = WarpOp::Kind::Definedness;
  pass.shadow = PoisonStep::Pass;
  pass.instruction = i;
  pass.sources = {builder.source(instruction.sources[0], Type::U32, Side::Shadow)};
  pass.results = {builder.result(instruction.destinations[0], Type::U32, Side::Shadow)};
  insert(ops, at + 1, std::move(pass));
  splice(ops, at, made);
}

/// Of an access or a shuffle, if the instruction is one.
void shadow_body(WarpProgram& program, uint32_t i) {
  const Op op = program.instruction(i).opcode.op;
  const auto& ops = program.groups[i].ops;
  const bool loads = op == Op::Ld || op == Op::LdU, shuffles = op == Op::Shfl;
  if (!loads && !shuffles && op != Op::St) return;
  const auto& to = program.instruction(i).destinations;
  if (shuffles && !(program.poison.of(to[0]) & kFromShuffle)) return;
  const auto wanted = shuffles ? WarpOp::Kind::Collective : WarpOp::Kind::Access;
  const auto found = std::find_if(
      ops.begin(), ops.end(), [&](const WarpOp& each) { return each.kind == wanted; });
  if (found == ops.end()) return;
  const auto at = static_cast<size_t>(found - ops.begin());
  if (loads) return shadow_load(program, i, at);
  shuffles ? shadow_shuffle(program, i, at) : shadow_store(program, i, at);
}

/// The result of a division by zero is followed.
void shadow_division(WarpProgram& program, uint32_t i) {
  const uint32_t reg = program.instruction(i).destinations[0].index;
  for (WarpOp& op : program.groups[i].ops) {
    if (!op.is(Control::CheckDivision)) continue;
    op.kind = WarpOp::Kind::Definedness;
    op.shadow = PoisonStep::Divided;
    op.form = empty_form();
    op.form.to = static_cast<uint8_t>(program.values.lane_bytes(reg));
    op.results = {program.values.shadow(reg)};
  }
}

/// Behind what records that the instruction, or its body, begins.
size_t past_arrival(const std::vector<WarpOp>& ops, size_t at) {
  while (at < ops.size() &&
         (ops[at].is(Probe::CountRun) || ops[at].is(Probe::TraceStep))) {
    ++at;
  }
  return at;
}

/// May it access the thread's own memory, or move padding? What the launch gives points
/// elsewhere, and structs are not moved as floating-point numbers.
bool may_be_local(const WarpProgram& program, uint32_t i) {
  const ptx::Opcode& opcode = program.instruction(i).opcode;
  if (opcode.space != Space::Generic) return opcode.space == Space::Local;
  if (!ptx::is_float(opcode.type)) return true;
  for (const WarpOp& op : program.groups[i].ops)
    if (op.kind == WarpOp::Kind::Access)
      return program.code.accesses[op.access].base != MemoryForm::Base::Parameter;
  return true;
}

}  // namespace

void follow_definedness(WarpProgram& program) {
  program.code.tracks_local = program.poison.tracks_local;
  if (!program.follows_poison) return;
  for (uint32_t i = 0; i < program.instruction_count(); ++i) {
    if (program.groups[i].needless) continue;
    const Instruction& instruction = program.instruction(i);
    std::vector<WarpOp>& ops = program.groups[i].ops;
    std::vector<WarpOp> made;
    OpBuilder builder(program, i, made);
    Shadowing shadowing(builder, instruction, may_be_local(program, i));
    shadowing.use_operands();
    shadowing.compute();
    splice(ops, past_arrival(ops, body_begin(program, i)), made);
    shadowing.use_guard();
    splice(ops, past_arrival(ops, entry_of(ops, i)), made);
    shadow_body(program, i);
    if (program.poison.divisions[i]) shadow_division(program, i);
  }
}

}  // namespace minitorch::simt
