#include "ptx/body_decoder.h"

#include <algorithm>

#include "base/text.h"
#include "ptx/decode.h"

namespace minitorch::ptx {

using syntax::Storage;

void BodyDecoder::run() {
  declare_parameters();
  load_register_parameters();
  for (const syntax::Statement& statement : source_.body)
    std::visit([this](const auto& item) { take(item); }, statement);
  for (const CallParameter& parameter : call_parameters_)
    if (!parameter.stores.empty())
      fail(source_.place, base::text("got a st.param to '", parameter.shape.name,
                                     "', which no call takes; need a call."));
  end_with_return();
  resolve_labels();
  place_divisions();
}

void BodyDecoder::declare_parameters() {
  const auto declare_all = [this](const auto& declarations, Symbol::Kind kind) {
    for (uint32_t i = 0; i < declarations.size(); ++i) {
      Symbol symbol;
      symbol.kind = kind;
      symbol.index = i;
      if (declarations[i].storage == Storage::Register) {
        symbol.kind = Symbol::Kind::Register;
        symbol.type = declarations[i].type;
        symbol.index = kNone;
      }
      symbols_.declare(declarations[i].name, symbol);
    }
  };
  declare_all(source_.returns, Symbol::Kind::Return);
  declare_all(source_.parameters, Symbol::Kind::Parameter);
}

namespace {

Operand register_operand(uint32_t index, Type type) {
  Operand made;
  made.kind = Operand::Kind::Register;
  made.index = index;
  made.type = type;
  return made;
}

Instruction parameter_access(Op op, Instruction::ParameterKind kind, uint32_t index,
                             const Parameter& shape) {
  Instruction made;
  made.opcode.op = op;
  made.opcode.type = made.opcode.source_type = shape.type;
  made.opcode.space = Space::Param;
  made.opcode.text =
      base::text(op == Op::Ld ? "ld" : "st", ".param.", type_name(shape.type));
  made.parameter_kind = kind;
  made.parameter = index;
  made.parameter_offset = shape.offset;
  made.uniform = true;
  return made;
}

}  // namespace

// Parameters in registers (.func f(.reg .u32 a)) are loaded from the buffer first.
void BodyDecoder::load_register_parameters() {
  for (uint32_t i = 0; i < source_.parameters.size(); ++i) {
    const syntax::Declaration& declaration = source_.parameters[i];
    if (declaration.storage != Storage::Register) continue;
    const Parameter& shape = function_.parameters[i];
    Instruction load =
        parameter_access(Op::Ld, Instruction::ParameterKind::Own, i, shape);
    load.destinations.push_back(register_operand(
        register_of(*symbols_.find(declaration.name), declaration.name), shape.type));
    load.ptx_line = declaration.place.line;
    function_.instructions.push_back(std::move(load));
  }
}

// ... and returned ones are stored before each `ret`.
void BodyDecoder::store_register_returns() {
  for (uint32_t i = 0; i < source_.returns.size(); ++i) {
    const syntax::Declaration& declaration = source_.returns[i];
    if (declaration.storage != Storage::Register) continue;
    const Parameter& shape = function_.returns[i];
    Instruction store =
        parameter_access(Op::St, Instruction::ParameterKind::OwnReturn, i, shape);
    Symbol* symbol = symbols_.find(declaration.name);
    if (symbol == nullptr || symbol->kind != Symbol::Kind::Register) continue;
    store.sources.push_back(
        register_operand(register_of(*symbol, declaration.name), shape.type));
    store.position = position_;
    function_.instructions.push_back(std::move(store));
  }
}

void BodyDecoder::declare(const syntax::Declaration& declaration) {
  if (declaration.storage == Storage::Register) return declare_registers(declaration);
  Symbol symbol;
  if (declaration.storage == Storage::Parameter) {
    uint32_t bytes = 0;
    symbol.kind = Symbol::Kind::CallParameter;
    symbol.index = static_cast<uint32_t>(call_parameters_.size());
    call_parameters_.push_back(
        {place_parameters({declaration}, bytes)[0], {}, kNone, 0});
  } else {
    symbol.kind = Symbol::Kind::Variable;
    symbol.index = static_cast<uint32_t>(shared_.module.variables.size());
    Variable variable = make_variable(declaration);
    fill_initial(declaration, shared_.names, variable);
    shared_.module.variables.push_back(std::move(variable));
    function_.own_variables.push_back(symbol.index);
  }
  symbols_.declare(declaration.name, symbol);
}

void BodyDecoder::declare_registers(const syntax::Declaration& declaration) {
  constexpr uint32_t kMaxRange = 1u << 20;
  if (declaration.vector != 1 || declaration.array)
    throw PtxError(declaration.place.line, declaration.place.column,
                   base::text("got the vector or array register '", declaration.name,
                              "'; need scalar registers."),
                   true);
  if (declaration.range > kMaxRange)
    fail(declaration.place, base::text("got ", declaration.range,
                                       " registers; need at most ", kMaxRange, "."));
  if (declaration.range != 0)
    return symbols_.declare_range(declaration.name, declaration.type,
                                  declaration.range);
  Symbol symbol;
  symbol.type = declaration.type;
  symbols_.declare(declaration.name, symbol);
}

void BodyDecoder::take(const syntax::ScopeBegin&) {
  symbols_.open_scope();
  scope_parents_.push_back(scope_);
  scope_ = static_cast<uint32_t>(scope_parents_.size() - 1);
}

void BodyDecoder::take(const syntax::ScopeEnd&) {
  symbols_.close_scope();
  scope_ = scope_parents_[scope_];
}

void BodyDecoder::take(const syntax::Label& label) {
  auto& spots = labels_[label.name];
  for (const auto& [scope, instruction] : spots)
    if (scope == scope_)
      fail(label.place, base::text("got the label '", label.name,
                                   "' twice; need one of each name."));
  block_start_ = static_cast<uint32_t>(function_.instructions.size());
  spots.emplace_back(scope_, block_start_);
}

void BodyDecoder::take(const syntax::Location& location) {
  position_ = shared_.positions.add(location, position_);
  auto& all = function_.instructions;
  const auto next = static_cast<uint32_t>(all.size());
  const bool open = !lineless_.empty() && lineless_.back().second == kNone;
  // Code of the compiler's at the start of a block belongs to what follows it: threads
  // need not come from the line that stands before it in the text.
  if (location.line != 0 && open && lineless_.back().first <= block_start_)
    for (uint32_t at = block_start_; at < next; ++at) all[at].position = position_;
  if (location.line == 0 && !open) lineless_.emplace_back(next, kNone);
  if (location.line != 0 && open) lineless_.back().second = next;
}

// Line 0 is code that the compiler made. Of its making are divisions of 64 bits, in two
// forms; they can fail, and belong to the line that first uses the result.
void BodyDecoder::place_divisions() {
  auto& all = function_.instructions;
  const auto is_lineless = [&](uint32_t at) {
    return std::any_of(lineless_.begin(), lineless_.end(), [&](const auto& range) {
      return range.first <= at && at < range.second;
    });
  };
  for (uint32_t i = 0; i < all.size(); ++i) {
    const Effect effect = facts(all[i].opcode.op).effect;
    if (effect != Effect::Divide || !is_lineless(i)) continue;
    Operand result = all[i].destinations[0];
    for (uint32_t at = i + 1; at < all.size(); ++at) {
      if (!any_is_register(all[at].sources, result.index)) continue;
      if (!is_lineless(at)) {
        all[i].position = all[at].position;
        break;
      }
      if (all[at].destinations.empty()) break;
      result = all[at].destinations[0];
    }
  }
}

void BodyDecoder::take(const syntax::Targets& targets) {
  Symbol symbol;
  symbol.kind = Symbol::Kind::Targets;
  symbol.index = static_cast<uint32_t>(targets_.size());
  targets_.push_back(targets);
  symbols_.declare(targets.name, symbol);
}

void BodyDecoder::take(const syntax::Prototype& prototype) {
  Symbol symbol;
  symbol.kind = Symbol::Kind::Prototype;
  symbol.index = static_cast<uint32_t>(prototypes_.size());
  prototypes_.push_back(&prototype);
  symbols_.declare(prototype.name, symbol);
}

// So that no path runs off the end.
void BodyDecoder::end_with_return() {
  bool label_at_end = false;
  for (const auto& [name, spots] : labels_)
    for (const auto& [scope, instruction] : spots)
      label_at_end |= instruction == function_.instructions.size();
  if (!function_.instructions.empty() && !label_at_end) {
    const Instruction& last = function_.instructions.back();
    if (ends_block(last.opcode.op) && last.guard == kNone) return;
  }
  store_register_returns();
  Instruction made;
  made.opcode.op = Op::Ret;
  made.opcode.text = "ret";
  made.uniform = true;
  made.position = position_;
  if (!function_.instructions.empty())
    made.ptx_line = function_.instructions.back().ptx_line;
  function_.instructions.push_back(std::move(made));
}

uint32_t BodyDecoder::find_label(std::string_view name, uint32_t scope,
                                 syntax::Place place) const {
  const auto found = labels_.find(name);
  if (found != labels_.end())
    for (; scope != kNone; scope = scope_parents_[scope])
      for (const auto& [where, instruction] : found->second)
        if (where == scope) return instruction;
  fail(place, base::text("got '", name, "'; need a label of this function."));
}

void BodyDecoder::resolve_labels() {
  for (const LabelUse& use : label_uses_) {
    Instruction& branch = function_.instructions[use.instruction];
    if (!use.table) {
      branch.target = find_label(use.name, use.scope, use.place);
      continue;
    }
    const auto list = std::find_if(targets_.begin(), targets_.end(),
                                   [&](const auto& t) { return t.name == use.name; });
    if (list == targets_.end())
      fail(use.place, base::text("got '", use.name, "'; need a .branchtargets list."));
    for (std::string_view name : list->names)
      branch.targets.push_back(find_label(name, use.scope, use.place));
  }
}

void BodyDecoder::fail(syntax::Place place, const std::string& what) const {
  throw PtxError(place.line, place.column, what, false);
}

}  // namespace minitorch::ptx
