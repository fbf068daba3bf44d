// The call sequence: which st.param and ld.param belong to which argument of which
// call.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "ptx/body_decoder.h"
#include "ptx/decode.h"

namespace minitorch::ptx {

using Kind = syntax::Operand::Kind;

namespace {

bool same_shape(const std::vector<Parameter>& a, const std::vector<Parameter>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Parameter& x, const Parameter& y) {
                      return x.size == y.size && x.offset == y.offset;
                    });
}

// st.param of an argument or ld.param of a return value, guarded like its call.
Instruction transfer(Op op, const Instruction& call, uint32_t slot,
                     const Parameter& shape) {
  using ParameterKind = Instruction::ParameterKind;
  Instruction made;
  made.opcode.op = op;
  made.opcode.type = made.opcode.source_type = shape.type;
  made.opcode.space = Space::Param;
  made.opcode.text =
      base::text(op == Op::Ld ? "ld.param." : "st.param.", type_name(shape.type));
  made.guard = call.guard;
  made.guard_negated = call.guard_negated;
  made.parameter_kind =
      op == Op::Ld ? ParameterKind::CallReturn : ParameterKind::CallArgument;
  made.parameter = slot;
  made.parameter_offset = shape.offset;
  made.position = call.position;
  made.ptx_line = call.ptx_line;
  return made;
}

}  // namespace

// call{.uni} (returns), callee, (arguments), prototype or targets;
void BodyDecoder::decode_call(const syntax::Instruction& source, Instruction made) {
  current_ = &made;
  const CallOperands call = split_call(source);
  uint32_t argument_bytes = 0, return_bytes = 0;
  std::vector<Parameter> arguments, returns;
  const auto direct = shared_.names.functions.find(call.callee->name);
  if (symbols_.find(call.callee->name) == nullptr &&
      direct != shared_.names.functions.end()) {
    const Function& target = shared_.module.functions[direct->second];
    made.target = direct->second;
    arguments = target.parameters;
    returns = target.returns;
    argument_bytes = target.parameter_bytes;
    return_bytes = target.return_bytes;
  } else {
    made.sources.push_back(decode_value(*call.callee, Type::U64, false, false));
    arguments = shapes_of(*call.arguments, argument_bytes);
    returns = shapes_of(*call.returns, return_bytes);
    find_callees(call.candidates, arguments, returns, made);
  }
  if (arguments.size() != call.arguments->size() ||
      returns.size() != call.returns->size())
    fail(source.place,
         base::text("got ", call.arguments->size(), " arguments and ",
                    call.returns->size(), " returns for '", call.callee->name,
                    "'; need ", arguments.size(), " and ", returns.size(), "."));
  bind_arguments(*call.arguments, arguments, made);
  function_.call_argument_bytes =
      std::max(function_.call_argument_bytes, argument_bytes);
  function_.call_return_bytes = std::max(function_.call_return_bytes, return_bytes);
  function_.instructions.push_back(made);
  bind_returns(*call.returns, returns, made);
}

// Which operand of a call is what; both lists and the last operand may be missing.
BodyDecoder::CallOperands BodyDecoder::split_call(const syntax::Instruction& source) {
  static const std::vector<syntax::Operand> nothing;
  const auto& operands = source.operands;
  size_t next = 0;
  const auto list = [&] {
    const bool given = next < operands.size() && operands[next].kind == Kind::List;
    return given ? &operands[next++].elements : &nothing;
  };
  CallOperands call;
  call.returns = list();
  if (next >= operands.size() || operands[next].kind != Kind::Name)
    fail(source.place, base::text("got ", source.opcode,
                                  " without a function; need its name or address."));
  call.callee = &operands[next++];
  call.arguments = list();
  if (next < operands.size()) call.candidates = &operands[next++];
  if (next != operands.size() ||
      (call.candidates != nullptr && call.candidates->kind != Kind::Name))
    fail(source.place,
         base::text("got an operand too many in ", source.opcode,
                    "; need (returns), function, (arguments), prototype."));
  return call;
}

// Shapes of the values of an indirect call, from what is passed.
std::vector<Parameter> BodyDecoder::shapes_of(
    const std::vector<syntax::Operand>& operands, uint32_t& bytes) {
  constexpr uint64_t kMaxBytes = 1u << 20;  // as of declared parameters
  std::vector<Parameter> shapes;
  for (const syntax::Operand& operand : operands) {
    Parameter shape{"", Type::B32, 0, 4, 4};
    if (const Symbol* symbol = symbols_.find(operand.name); symbol != nullptr) {
      if (symbol->kind == Symbol::Kind::CallParameter) {
        shape = call_parameters_[symbol->index].shape;
      } else if (symbol->kind == Symbol::Kind::Register) {
        const uint32_t size = std::max(1u, size_of(symbol->type));
        shape = {"", symbol->type, 0, size, size};
      }
    }
    bytes = (bytes + shape.alignment - 1) / shape.alignment * shape.alignment;
    shape.offset = bytes;
    if (uint64_t{bytes} + shape.size > kMaxBytes)
      fail(operand.place, "got arguments of more than 1 MiB; need less.");
    bytes += shape.size;
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

// Arguments in .param space were stored before; registers and numbers are stored here.
void BodyDecoder::bind_arguments(const std::vector<syntax::Operand>& operands,
                                 const std::vector<Parameter>& shapes,
                                 const Instruction& call) {
  for (uint32_t slot = 0; slot < operands.size(); ++slot) {
    const Symbol* symbol = symbols_.find(operands[slot].name);
    if (symbol != nullptr && symbol->kind == Symbol::Kind::CallParameter) {
      CallParameter& parameter = call_parameters_[symbol->index];
      if (parameter.shape.size > shapes[slot].size)
        fail(operands[slot].place,
             base::text("got ", parameter.shape.size, " bytes for argument ", slot,
                        "; need ", shapes[slot].size, "."));
      for (uint32_t store : std::exchange(parameter.stores, {})) {
        function_.instructions[store].parameter = slot;
        function_.instructions[store].parameter_offset = shapes[slot].offset;
      }
      continue;
    }
    Instruction store = transfer(Op::St, call, slot, shapes[slot]);
    store.sources = {decode_value(operands[slot], shapes[slot].type, true, false)};
    function_.instructions.push_back(std::move(store));
  }
}

void BodyDecoder::bind_returns(const std::vector<syntax::Operand>& operands,
                               const std::vector<Parameter>& shapes,
                               const Instruction& call) {
  for (uint32_t slot = 0; slot < operands.size(); ++slot) {
    const Symbol* symbol = symbols_.find(operands[slot].name);
    if (symbol != nullptr && symbol->kind == Symbol::Kind::CallParameter) {
      CallParameter& parameter = call_parameters_[symbol->index];
      if (parameter.shape.size > shapes[slot].size)
        fail(operands[slot].place,
             base::text("got ", parameter.shape.size, " bytes for return value ", slot,
                        "; need ", shapes[slot].size, "."));
      parameter.slot = slot;
      parameter.offset = shapes[slot].offset;
      continue;
    }
    Instruction load = transfer(Op::Ld, call, slot, shapes[slot]);
    load.destinations = {decode_value(operands[slot], shapes[slot].type, true, true)};
    function_.instructions.push_back(std::move(load));
  }
}

// The functions an indirect call may reach: a .calltargets list, else all whose
// parameters and returns have the same places.
void BodyDecoder::find_callees(const syntax::Operand* list,
                               const std::vector<Parameter>& arguments,
                               const std::vector<Parameter>& returns,
                               Instruction& made) {
  if (list != nullptr) {
    const Symbol* symbol = symbols_.find(list->name);
    const bool known = symbol != nullptr && (symbol->kind == Symbol::Kind::Targets ||
                                             symbol->kind == Symbol::Kind::Prototype);
    if (!known)
      fail(list->place, base::text("got '", list->name,
                                   "'; need a .callprototype or .calltargets."));
    if (symbol->kind == Symbol::Kind::Targets) {
      for (std::string_view name : targets_[symbol->index].names) {
        const auto found = shared_.names.functions.find(name);
        if (found == shared_.names.functions.end())
          fail(list->place, base::text("got '", name, "'; need a declared function."));
        made.targets.push_back(found->second);
      }
      return;
    }
  }
  const auto& functions = shared_.module.functions;
  for (uint32_t i = 0; i < functions.size(); ++i)
    if (!functions[i].entry && same_shape(functions[i].parameters, arguments) &&
        same_shape(functions[i].returns, returns))
      made.targets.push_back(i);
}

}  // namespace minitorch::ptx
