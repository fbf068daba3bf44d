// Owns the call sequence: which st.param and ld.param belong to which argument of which
// call. Must not know how a call is executed.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "ptx/body_decoder.h"
#include "ptx/decode.h"

namespace minitorch::ptx {

using Kind = syntax::Operand::Kind;

namespace {

const std::vector<syntax::Operand> kNothing;

bool same_shape(const std::vector<Parameter>& a, const std::vector<Parameter>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Parameter& x, const Parameter& y) {
                      return x.size == y.size && x.offset == y.offset;
                    });
}

}  // namespace

// call{.uni} (returns), callee, (arguments), prototype or targets;
void BodyDecoder::decode_call(const syntax::Instruction& source, Instruction made) {
  current_ = &made.opcode;
  const auto& operands = source.operands;
  size_t next = 0;
  const auto list = [&]() -> const std::vector<syntax::Operand>& {
    if (next >= operands.size() || operands[next].kind != Kind::List) return kNothing;
    return operands[next++].elements;
  };
  const auto& returns = list();
  if (next >= operands.size() || operands[next].kind != Kind::Name)
    fail(source.place, base::text("got ", source.opcode,
                                  " without a function; need its name or address."));
  const syntax::Operand& callee = operands[next++];
  const auto& arguments = list();
  const syntax::Operand* candidates =
      next < operands.size() ? &operands[next++] : nullptr;
  if (next != operands.size() || (candidates && candidates->kind != Kind::Name))
    fail(source.place,
         base::text("got an operand too many in ", source.opcode,
                    "; need (returns), function, (arguments), prototype."));

  uint32_t argument_bytes = 0, return_bytes = 0;
  std::vector<Parameter> argument_shapes, return_shapes;
  const auto direct = shared_.names.functions.find(callee.name);
  if (symbols_.find(callee.name) == nullptr &&
      direct != shared_.names.functions.end()) {
    const Function& target = shared_.module.functions[direct->second];
    made.target = direct->second;
    argument_shapes = target.parameters;
    return_shapes = target.returns;
    argument_bytes = target.parameter_bytes;
    return_bytes = target.return_bytes;
  } else {
    made.sources.push_back(decode_value(callee, Type::U64, false, false));
    argument_shapes = shapes_of(arguments, argument_bytes);
    return_shapes = shapes_of(returns, return_bytes);
    find_callees(candidates, argument_shapes, return_shapes, made);
  }
  if (argument_shapes.size() != arguments.size() ||
      return_shapes.size() != returns.size())
    fail(source.place,
         base::text("got ", arguments.size(), " arguments and ", returns.size(),
                    " returns for '", callee.name, "'; need ", argument_shapes.size(),
                    " and ", return_shapes.size(), "."));
  bind_arguments(arguments, argument_shapes, made);
  function_.call_argument_bytes =
      std::max(function_.call_argument_bytes, argument_bytes);
  function_.call_return_bytes = std::max(function_.call_return_bytes, return_bytes);
  function_.instructions.push_back(made);
  bind_returns(returns, return_shapes, made);
}

// Shapes of the values of an indirect call, from what is passed.
std::vector<Parameter> BodyDecoder::shapes_of(
    const std::vector<syntax::Operand>& operands, uint32_t& bytes) {
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
    Instruction store = call;
    store.opcode = Opcode{};
    store.opcode.op = Op::St;
    store.opcode.type = store.opcode.source_type = shapes[slot].type;
    store.opcode.space = Space::Param;
    store.opcode.text = base::text("st.param.", type_name(shapes[slot].type));
    store.target = kNone;
    store.targets.clear();
    store.sources = {decode_value(operands[slot], shapes[slot].type, true, false)};
    store.parameter_kind = Instruction::ParameterKind::CallArgument;
    store.parameter = slot;
    store.parameter_offset = shapes[slot].offset;
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
    Instruction load = call;
    load.opcode = Opcode{};
    load.opcode.op = Op::Ld;
    load.opcode.type = load.opcode.source_type = shapes[slot].type;
    load.opcode.space = Space::Param;
    load.opcode.text = base::text("ld.param.", type_name(shapes[slot].type));
    load.target = kNone;
    load.targets.clear();
    load.sources.clear();
    load.destinations = {decode_value(operands[slot], shapes[slot].type, true, true)};
    load.parameter_kind = Instruction::ParameterKind::CallReturn;
    load.parameter = slot;
    load.parameter_offset = shapes[slot].offset;
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
