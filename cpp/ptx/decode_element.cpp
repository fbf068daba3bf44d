// Indexed operands, name[index] without brackets around them: as ptxas has it, an index
// counts values of the array's type (floats in an array of .v2 .f32) and is a number of
// 32 bits.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "ptx/body_decoder.h"
#include "ptx/decode.h"
#include "ptx/opcode_table.h"

namespace minitorch::ptx {

using Kind = syntax::Operand::Kind;

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
