#include "simt/oracle/evaluate.h"

#include "simt/oracle/number.h"

namespace minitorch::simt::scalar {

using ptx::Op;
using ptx::Type;

int width_of(Type type) {
  return type == Type::Pred ? 1 : 8 * static_cast<int>(ptx::size_of(type));
}

uint64_t width_mask(Type type) {
  const int width = width_of(type);
  return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
}

__int128 read_integer(Type type, uint64_t bits) {
  const int unused = 64 - width_of(type);
  const uint64_t high = bits << unused;
  if (ptx::is_signed(type)) return static_cast<int64_t>(high) >> unused;
  return high >> unused;
}

uint64_t flush(Type type, uint64_t bits) {
  const Format format = format_of(type);
  const uint64_t sign = bits & uint64_t{1} << (format.width - 1);
  const uint64_t exponent = (bits ^ sign) >> format.fraction;
  return exponent == 0 ? sign : bits;
}

Type element_of(Type type) {
  if (type == Type::F16x2) return Type::F16;
  if (type == Type::U16x2) return Type::U16;
  if (type == Type::S16x2) return Type::S16;
  return type == Type::BF16x2 ? Type::BF16 : Type::None;
}

namespace {

Results pack(const ptx::Opcode& opcode, const Operands& operands) {
  const int part = width_of(opcode.type) / opcode.vector;
  uint64_t value = 0;
  for (int i = 0; i < opcode.vector; ++i) {
    value |= (operands[i] & (~uint64_t{0} >> (64 - part))) << (part * i);
  }
  return result(value);
}

Results unpack(const ptx::Opcode& opcode, const Operands& operands) {
  const int part = width_of(opcode.type) / opcode.vector;
  Results results;
  for (int i = 0; i < opcode.vector; ++i) {
    results.of[i] = operands[0] >> (part * i) & (~uint64_t{0} >> (64 - part));
  }
  return results;
}

Results evaluate_halves(ptx::Opcode opcode, const Operands& operands) {
  opcode.type = opcode.source_type = element_of(opcode.type);
  uint64_t value = 0;
  for (int shift : {0, 16}) {
    Operands part = operands;
    for (uint64_t& bits : part.of) bits = bits >> shift & 0xffff;
    const Results results = ptx::is_float(opcode.type) ? evaluate_float(opcode, part)
                                                       : evaluate_integer(opcode, part);
    if (!results.supported) return results;
    value |= (results.of[0] & 0xffff) << shift;
  }
  return result(value);
}

Results evaluate_move(const ptx::Opcode& opcode, const Operands& operands) {
  if (opcode.op == Op::Mov) return result(operands[0]);
  if (opcode.op == Op::Pack) return pack(opcode, operands);
  if (opcode.op == Op::Unpack) return unpack(opcode, operands);
  if (opcode.op == Op::Selp) return result(operands[operands[2] & 1 ? 0 : 1]);
  return unsupported_form();
}

Results evaluate_number(const ptx::Opcode& opcode, const Operands& operands) {
  if (element_of(opcode.type) != Type::None) return evaluate_halves(opcode, operands);
  return ptx::is_float(opcode.type) ? evaluate_float(opcode, operands)
                                    : evaluate_integer(opcode, operands);
}

}  // namespace

// Each knows its own opcodes and has no form of any other.
Results evaluate(const ptx::Opcode& opcode, const Operands& operands) {
  for (const auto part : {&evaluate_move, &evaluate_convert, &evaluate_compare,
                          &evaluate_bits, &evaluate_number}) {
    const Results results = part(opcode, operands);
    if (results.supported) return results;
  }
  return unsupported_form();
}

}  // namespace minitorch::simt::scalar
