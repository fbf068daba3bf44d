// The question from which variable or kernel parameter an address is derived, so that
// an access is held to the bounds of what it was meant for and not only to those of the
// memory around it.
#pragma once

#include <vector>

#include "ptx/program.h"

namespace minitorch::simt {

/// What a register's value points into, by the arithmetic that makes it: a base plus
/// any number. Values chosen from several bases, or made in another way, are unknown.
struct Provenance {
  enum class Base : uint8_t {
    NotSeen,    // no instruction that gives it has been looked at
    None,       // not derived from a base
    Variable,   // index into Module::variables
    Parameter,  // byte offset in the kernel's parameters
    Own,        // the address of a parameter itself: index into Function::parameters
    Unknown,
  };
  Base base = Base::NotSeen;
  uint32_t index = 0;

  bool operator==(const Provenance&) const = default;
  bool known() const {
    return base == Base::Variable || base == Base::Parameter || base == Base::Own;
  }
};

/// By register of the function.
std::vector<Provenance> find_provenance(const ptx::Function& function);

/// That of the address `base` in an instruction.
Provenance provenance_of(const std::vector<Provenance>& registers,
                         const ptx::Operand& base);

}  // namespace minitorch::simt
