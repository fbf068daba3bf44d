// The asking of the scalar oracle for one row of a conformance form.
#pragma once

#include "simt/oracle/evaluate.h"
#include "subject.h"

namespace conformance {

using minitorch::simt::scalar::Operands;
using minitorch::simt::scalar::Results;

inline Operands operands_of(const Form& form, const Subject& subject, size_t row) {
  Operands operands;
  for (const ptx::Operand& source : subject.instruction->sources) {
    const bool immediate = source.kind == ptx::Operand::Kind::Immediate;
    operands.of[operands.count++] =
        immediate ? source.bits : form.sources[row].at(subject.input_of(source));
  }
  operands.carry = form.sources[row].back() != 0;
  return operands;
}

// A result as the register of its operand holds it.
inline uint64_t in_register(const Subject& subject, size_t index, uint64_t bits) {
  const ptx::Type type = subject.type_of(subject.instruction->destinations[index]);
  const uint32_t bytes = ptx::size_of(type);
  return bytes == 8 ? bits : bits & ((uint64_t{1} << (bytes ? 8 * bytes : 1)) - 1);
}

}  // namespace conformance
