// Owns the meaning of one written operand: register, number, name, address or element.
// Must not know what the instruction computes.
//
// An element is name[index] without brackets around it: as ptxas has it, an index
// counts values of the array's type (floats in an array of .v2 .f32) and is a number of
// 32 bits.
#include <algorithm>
#include <utility>

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

namespace {

// The array alone.
syntax::Operand name_of(const syntax::Operand& element) {
  syntax::Operand name;
  name.place = element.place;
  name.name = element.name;
  return name;
}

}  // namespace

BodyDecoder::Array BodyDecoder::find_array(const syntax::Operand& operand) {
  Array array;
  bool declared = false;
  const auto take = [&](const auto& found) {
    array.element_bytes = std::max(1u, size_of(found.type));
    array.count = found.size / array.element_bytes;
    declared = found.array;
  };
  const Symbol* symbol = symbols_.find(operand.name);
  if (symbol == nullptr) {
    const auto found = shared_.names.variables.find(operand.name);
    if (found != shared_.names.variables.end())
      take(shared_.module.variables[found->second]);
  } else if (symbol->kind == Symbol::Kind::Variable) {
    take(shared_.module.variables[symbol->index]);
  } else if (symbol->kind == Symbol::Kind::Parameter) {
    take(function_.parameters[symbol->index]);
  } else if (symbol->kind == Symbol::Kind::Return) {
    take(function_.returns[symbol->index]);
  } else if (symbol->kind == Symbol::Kind::CallParameter) {
    take(call_parameters_[symbol->index].shape);
  }
  if (!declared)
    fail(operand.place, base::text("got an index behind '", operand.name,
                                   "'; need the name of a declared array there."));
  if (array.count == 0)
    fail(operand.place,
         base::text("got an index behind '", operand.name,
                    "', an array without a size; need [", operand.name, " + bytes]."));
  return array;
}

// The same operand as a name plus bytes. `most` is the last index that is allowed.
syntax::Operand BodyDecoder::element_by_offset(const syntax::Operand& operand,
                                               const Array& array,
                                               uint64_t most) const {
  const syntax::Constant& index = operand.elements[0].constant;
  if (index.form != syntax::Constant::Form::Integer)
    fail(operand.place, base::text("got a fraction as an index of '", operand.name,
                                   "'; need an integer."));
  if (index.bits > most)
    fail(operand.place, base::text("got the index ", static_cast<int64_t>(index.bits),
                                   " of '", operand.name, "', which has ", array.count,
                                   " elements; need an index from 0 to ", most, "."));
  syntax::Operand name = name_of(operand);
  name.offset = static_cast<int64_t>(index.bits * array.element_bytes);
  return name;
}

Operand BodyDecoder::decode_element(const syntax::Operand& operand, Type type) {
  const Op op = current_->opcode.op;
  if ((op != Op::Mov && op != Op::Cvta) || is_float(type) || size_of(type) < 4)
    fail(operand.place,
         base::text("got an element of '", operand.name, "' in ", current_->opcode.text,
                    "; need it in ld, st, cvta or a mov of 4 or 8 bytes."));
  const Array array = find_array(operand);
  if (operand.elements[0].kind == Kind::Name)
    return address_of_element(operand, array, type);
  // The address behind the last element is an address, too.
  return decode_name(element_by_offset(operand, array, array.count), type, false,
                     false);
}

void BodyDecoder::decode_element_address(const syntax::Operand& operand,
                                         Instruction& made) {
  const Op op = made.opcode.op;
  if (op != Op::Ld && op != Op::LdU && op != Op::St)
    fail(operand.place, base::text("got an element of '", operand.name, "' in ",
                                   made.opcode.text, "; need an address in brackets."));
  const Array array = find_array(operand);
  if (operand.elements[0].kind != Kind::Name) {
    syntax::Operand address;
    address.kind = Kind::Address;
    address.place = operand.place;
    address.elements.push_back(element_by_offset(operand, array, array.count - 1));
    address.offset = std::exchange(address.elements[0].offset, 0);
    return decode_address(address, made);
  }
  const Operand base = decode_name(name_of(operand), Type::B64, false, false);
  if (base.kind == Operand::Kind::Variable) {
    check_space(base, operand, made.opcode);
    const Space space = shared_.module.variables[base.index].space;
    if (made.opcode.space == Space::Generic &&
        (space == Space::Shared || space == Space::Local))
      fail(operand.place, base::text("got an element of '", operand.name, "' in ",
                                     made.opcode.text, "; need ld or st with ",
                                     space == Space::Shared ? ".shared." : ".local."));
  } else if (made.opcode.space != Space::Param) {
    fail(operand.place, base::text("got the parameter '", operand.name, "' in ",
                                   made.opcode.text, "; need ld.param."));
  }
  made.address.base = address_of_element(operand, array, Type::U64);
}

// base + size * index in instructions of their own, as the hardware has to do it.
Operand BodyDecoder::address_of_element(const syntax::Operand& operand,
                                        const Array& array, Type type) {
  const auto number = [](uint64_t bits) {
    Operand made;
    made.kind = Operand::Kind::Immediate;
    made.type = Type::U32;
    made.bits = bits;
    return made;
  };
  const bool wide = size_of(type) == 8;
  const std::string name = base::text(operand.name, "[", operand.elements[0].name, "]");
  Operand index = decode_index(operand.elements[0]);
  if (operand.offset != 0)
    index = compute("add.u32", Type::U32, name,
                    {index, number(static_cast<uint32_t>(operand.offset))});
  const Operand base = decode_name(name_of(operand), type, false, false);
  return compute(wide ? "mad.wide.u32" : "mad.lo.u32", wide ? Type::U64 : Type::U32,
                 name, {index, number(array.element_bytes), base});
}

// A register of 32 bits; of 64 the low half counts.
Operand BodyDecoder::decode_index(const syntax::Operand& operand) {
  const Symbol* symbol = symbols_.find(operand.name);
  const Type type = symbol != nullptr && symbol->kind == Symbol::Kind::Register
                        ? symbol->type
                        : Type::None;
  const uint32_t bytes = size_of(type);
  if (type == Type::Pred || is_float(type) || (bytes != 2 && bytes != 4 && bytes != 8))
    fail(operand.place, base::text("got '", operand.name,
                                   "' as an index; need a register that holds an "
                                   "integer, or a number."));
  const Operand index = decode_name(operand, type, false, false);
  if (bytes == 4) return index;
  return compute(bytes == 2 ? "cvt.u32.u16" : "cvt.u32.u64", Type::U32,
                 std::string(operand.name), {index});
}

// One more instruction, before the current one and under its guard.
Operand BodyDecoder::compute(const char* opcode, Type type, std::string name,
                             std::vector<Operand> sources) {
  syntax::Instruction source;
  source.opcode = opcode;
  Operand result;
  result.kind = Operand::Kind::Register;
  result.type = type;
  result.index = static_cast<uint32_t>(function_.registers.size());
  function_.registers.push_back({std::move(name), type});
  Instruction made;
  made.opcode = opcode_of(source);
  made.guard = current_->guard;
  made.guard_negated = current_->guard_negated;
  made.destinations = {result};
  made.sources = std::move(sources);
  made.ptx_line = current_->ptx_line;
  made.position = position_;
  function_.instructions.push_back(std::move(made));
  return result;
}

}  // namespace minitorch::ptx
