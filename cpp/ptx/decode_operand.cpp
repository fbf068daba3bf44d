// The meaning of one written operand: register, number, name or address.
#include "base/text.h"
#include "ptx/body_decoder.h"
#include "ptx/constants.h"
#include "ptx/decode.h"
#include "ptx/matrix.h"
#include "ptx/special_registers.h"

namespace minitorch::ptx {

using Kind = syntax::Operand::Kind;

Operand BodyDecoder::decode_value(const syntax::Operand& operand, Type type, bool wider,
                                  bool destination) {
  Operand value;
  value.type = type;
  switch (operand.kind) {
    case Kind::Name:
      return decode_name(operand, type, wider, destination);
    case Kind::Sink:
      if (!destination) fail(operand.place, "got '_' as a source; need a value.");
      value.kind = Operand::Kind::Sink;
      return value;
    case Kind::Constant:
      if (destination)
        fail(operand.place, "got a number as a destination; need a register.");
      value.kind = Operand::Kind::Immediate;
      value.bits = bits_of(operand.constant, type, operand.place);
      return value;
    case Kind::Element:
      if (!destination) return decode_element(operand, type);
      fail(operand.place, base::text("got an element of '", operand.name,
                                     "' as a destination; need a register."));
    default:
      fail(operand.place,
           base::text("got a bracketed operand of ", current_->opcode.text,
                      "; need a register or a number."));
  }
}

uint32_t BodyDecoder::register_of(Symbol& symbol, std::string_view name) {
  if (symbol.index == kNone) {
    symbol.index = static_cast<uint32_t>(function_.registers.size());
    function_.registers.push_back({std::string(name), symbol.type});
  }
  return symbol.index;
}

Operand BodyDecoder::decode_name(const syntax::Operand& operand, Type type, bool wider,
                                 bool destination) {
  Operand value;
  value.type = type;
  Symbol* symbol = symbols_.find(operand.name);
  if (symbol != nullptr && symbol->kind == Symbol::Kind::Register) {
    if (operand.offset != 0)
      fail(operand.place, "got a register plus an offset; need it in an address.");
    if (operand.negated && (destination || type != Type::Pred))
      fail(operand.place, "got '!' before a value; need a predicate source.");
    check_register(type, symbol->type, wider, operand);
    value.kind = Operand::Kind::Register;
    value.index = register_of(*symbol, operand.name);
    value.negated = operand.negated;
    return value;
  }
  if (destination || operand.negated || type == Type::Pred)
    fail(operand.place,
         base::text("got '", operand.name, "'; need a declared register."));
  if (const Special special = find_special(operand.name); special != Special::None) {
    value.kind = Operand::Kind::Special;
    value.special = special;
    if (is_float(type))
      fail(operand.place, base::text("got ", operand.name, " as ", type_name(type),
                                     "; need an integer type."));
    return value;
  }
  if (symbol == nullptr) return decode_global_name(operand, type);
  switch (symbol->kind) {
    case Symbol::Kind::Variable:
      value.kind = Operand::Kind::Variable;
      value.index = symbol->index;
      value.offset = operand.offset;
      break;
    case Symbol::Kind::Parameter:
      value.kind = Operand::Kind::Immediate;
      value.index = symbol->index;
      value.bits = function_.parameters[symbol->index].offset +
                   static_cast<uint64_t>(operand.offset);
      break;
    case Symbol::Kind::Return:
    case Symbol::Kind::CallParameter:
      foreign_operand_ = true;  // the address of a call's parameter
      break;
    default:
      fail(operand.place, base::text("got the list '", operand.name,
                                     "'; need a register, a variable or a number."));
  }
  return value;
}

// The address of a variable or function of the module.
Operand BodyDecoder::decode_global_name(const syntax::Operand& operand, Type type) {
  Operand value;
  value.type = type;
  const ModuleNames& names = shared_.names;
  if (const auto variable = names.variables.find(operand.name);
      variable != names.variables.end()) {
    value.kind = Operand::Kind::Variable;
    value.index = variable->second;
    value.offset = operand.offset;
  } else if (const auto function = names.functions.find(operand.name);
             function != names.functions.end()) {
    value.kind = Operand::Kind::Function;
    value.index = function->second;
  } else if (is_foreign_special(operand.name)) {
    foreign_operand_ = true;
    return value;
  } else {
    fail(operand.place,
         base::text("got '", operand.name,
                    "'; need a declared register, variable or function."));
  }
  if (is_float(type) || size_of(type) < 4)
    fail(operand.place,
         base::text("got the address of '", operand.name, "' as ", type_name(type),
                    "; need an integer of 4 or 8 bytes."));
  return value;
}

void BodyDecoder::decode_vector(const syntax::Operand& operand, bool destination,
                                Instruction& made) {
  static constexpr Type kParts[] = {Type::None, Type::B8, Type::B16, Type::None,
                                    Type::B32};
  const Opcode& opcode = made.opcode;
  const bool pack = opcode.op == Op::Pack || opcode.op == Op::Unpack;
  const Type type = pack ? kParts[size_of(opcode.type) / opcode.vector] : opcode.type;
  std::vector<Operand>& out = destination ? made.destinations : made.sources;
  if (operand.kind != Kind::Vector) {
    if (opcode.vector != 1)
      fail(operand.place, base::text("got one value for ", opcode.text, "; need {",
                                     int{opcode.vector}, " values}."));
    out.push_back(decode_value(operand, type, true, destination));
    return;
  }
  if (operand.elements.size() != opcode.vector)
    fail(operand.place, base::text("got ", operand.elements.size(), " values for ",
                                   opcode.text, "; need ", int{opcode.vector}, "."));
  const bool wider = !pack || type == Type::B8;  // there are no 8-bit registers
  for (const syntax::Operand& element : operand.elements)
    out.push_back(decode_value(element, type, wider, destination));
}

void BodyDecoder::decode_fragment(Fragment fragment, bool destination,
                                  const syntax::Operand& operand, Instruction& made) {
  const Type type = register_type(fragment_type(made.opcode.matrix, fragment));
  const uint32_t count = fragment_registers(made.opcode, fragment);
  std::vector<Operand>& out = destination ? made.destinations : made.sources;
  if (operand.kind != Kind::Vector && count == 1) {
    out.push_back(decode_value(operand, type, false, destination));
    return;
  }
  if (operand.kind != Kind::Vector || operand.elements.size() != count)
    fail(operand.place,
         base::text("got ",
                    operand.kind == Kind::Vector ? operand.elements.size() : size_t{1},
                    " registers for ", made.opcode.text, "; need ", count, "."));
  for (const syntax::Operand& element : operand.elements)
    out.push_back(decode_value(element, type, false, destination));
}

void BodyDecoder::decode_address(const syntax::Operand& operand, Instruction& made) {
  if (operand.kind == Kind::Element) return decode_element_address(operand, made);
  if (operand.kind != Kind::Address || operand.elements.size() != 1)
    fail(operand.place, base::text("got no address for ", made.opcode.text,
                                   "; need [register + offset] or [name + offset]."));
  const syntax::Operand& base = operand.elements[0];
  const bool second =
      made.opcode.op == Op::CpAsync && made.address.base.kind != Operand::Kind::None;
  Address& address = second ? made.source_address : made.address;
  address.offset = operand.offset;
  if (base.kind == Kind::Constant) {
    address.base = decode_value(base, Type::U64, false, false);
    return;
  }
  if (base.kind == Kind::Element)
    fail(base.place, base::text("got an index inside brackets; need ", base.name,
                                "[index] without them, or [", base.name, " + bytes]."));
  if (base.kind != Kind::Name || base.negated)
    fail(base.place, "got no register or name in an address; need one.");
  Symbol* symbol = symbols_.find(base.name);
  if (symbol != nullptr && symbol->kind != Symbol::Kind::Register &&
      symbol->kind != Symbol::Kind::Variable)
    return decode_parameter_access(*symbol, base, made);
  const bool narrow = symbol != nullptr && size_of(symbol->type) == 4;
  address.base = decode_name(base, narrow ? Type::B32 : Type::B64, false, false);
  if (address.base.kind == Operand::Kind::Special ||
      address.base.kind == Operand::Kind::Function)
    fail(base.place, base::text("got '", base.name,
                                "' as an address; need a register or a variable."));
  if (address.base.kind != Operand::Kind::Variable) return;
  address.offset += address.base.offset;
  address.base.offset = 0;
  check_space(address.base, base, made.opcode);
}

void BodyDecoder::check_space(const Operand& base, const syntax::Operand& written,
                              const Opcode& opcode) const {
  const Space space = shared_.module.variables[base.index].space;
  if (opcode.space != Space::Generic && opcode.space != space)
    fail(written.place, base::text("got '", written.name, "' in ", opcode.text,
                                   "; need a variable of that space."));
}

void BodyDecoder::decode_parameter_access(const Symbol& symbol,
                                          const syntax::Operand& base,
                                          Instruction& made) {
  const bool load = made.opcode.op == Op::Ld, store = made.opcode.op == Op::St;
  const uint64_t bytes = uint64_t{size_of(made.opcode.type)} * made.opcode.vector;
  const Parameter* shape = nullptr;
  made.parameter = symbol.index;
  if (symbol.kind == Symbol::Kind::Parameter && load) {
    made.parameter_kind = Instruction::ParameterKind::Own;
    shape = &function_.parameters[symbol.index];
  } else if (symbol.kind == Symbol::Kind::Return && store) {
    made.parameter_kind = Instruction::ParameterKind::OwnReturn;
    shape = &function_.returns[symbol.index];
  } else if (symbol.kind == Symbol::Kind::CallParameter && (load || store)) {
    CallParameter& parameter = call_parameters_[symbol.index];
    shape = &parameter.shape;
    if (load && parameter.slot == kNone)
      fail(base.place, base::text("got a load of '", base.name,
                                  "' before its call; need the call first."));
    made.parameter_kind = load ? Instruction::ParameterKind::CallReturn
                               : Instruction::ParameterKind::CallArgument;
    made.parameter = parameter.slot;
    if (store)
      parameter.stores.push_back(static_cast<uint32_t>(function_.instructions.size()));
  }
  if (shape == nullptr || made.opcode.space != Space::Param)
    fail(base.place, base::text("got the parameter '", base.name, "' in ",
                                made.opcode.text, "; need ld.param or st.param."));
  if (made.address.offset < 0 || bytes > shape->size ||
      static_cast<uint64_t>(made.address.offset) > shape->size - bytes)
    fail(base.place, base::text("got ", bytes, " bytes at offset ", made.address.offset,
                                " of '", base.name, "', which has ", shape->size,
                                "; need an access inside it."));
  const bool returned = made.parameter_kind == Instruction::ParameterKind::CallReturn;
  made.parameter_offset =
      returned ? call_parameters_[symbol.index].offset : shape->offset;
}

void BodyDecoder::check_register(Type wanted, Type got, bool wider,
                                 const syntax::Operand& operand) const {
  const bool predicate = wanted == Type::Pred || got == Type::Pred;
  bool fits = predicate ? wanted == got
              : wider   ? size_of(got) >= size_of(wanted)
                        : size_of(got) == size_of(wanted);
  const bool bits = (wanted >= Type::B8 && wanted <= Type::B128) ||
                    (got >= Type::B8 && got <= Type::B128);
  if (!bits && is_float(wanted) != is_float(got)) fits = false;
  if (fits) return;
  fail(operand.place, base::text("got ", operand.name, " (", type_name(got), ") in ",
                                 current_->opcode.text, "; need a register of type ",
                                 type_name(wanted), "."));
}

}  // namespace minitorch::ptx
