// The finding of the instruction under test in a conformance file.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "ptx/decode.h"
#include "table.h"

namespace conformance {

namespace ptx = minitorch::ptx;

// The instruction under test, found by its destination %d.
struct Subject {
  std::shared_ptr<const ptx::Module> module;
  const ptx::Function* function = nullptr;
  const ptx::Instruction* instruction = nullptr;

  explicit Subject(const Form& form) : module(ptx::decode(form.ptx)) {
    function = &module->functions.at(0);
    for (const ptx::Instruction& i : function->instructions) {
      if (!i.destinations.empty() && name_of(i.destinations[0]) == "%d")
        instruction = &i;
    }
  }
  std::string name_of(const ptx::Operand& operand) const {
    if (operand.kind != ptx::Operand::Kind::Register) return "";
    return function->registers[operand.index].name;
  }
  ptx::Type type_of(const ptx::Operand& operand) const {
    return function->registers[operand.index].type;
  }
  /// Which source of the table a register stands for.
  size_t input_of(const ptx::Operand& operand) const {
    static const std::map<std::string, size_t> kInputs = {
        {"%a", 0}, {"%b", 1}, {"%c", 2}, {"%e", 3}};
    return kInputs.at(name_of(operand));
  }
};

}  // namespace conformance
