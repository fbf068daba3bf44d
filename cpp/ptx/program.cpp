#include "ptx/program.h"

#include <algorithm>

namespace minitorch::ptx {
namespace {

template <class Items>
uint32_t find_name(const Items& items, const std::string& name) {
  for (uint32_t i = 0; i < items.size(); ++i)
    if (items[i].name == name) return i;
  return kNone;
}

}  // namespace

bool is_register(const Operand& operand, uint32_t reg) {
  return operand.kind == Operand::Kind::Register && operand.index == reg;
}

bool any_is_register(const std::vector<Operand>& operands, uint32_t reg) {
  return std::any_of(operands.begin(), operands.end(),
                     [&](const Operand& each) { return is_register(each, reg); });
}

uint32_t Module::find_function(const std::string& name) const {
  return find_name(functions, name);
}

uint32_t Module::find_variable(const std::string& name) const {
  return find_name(variables, name);
}

}  // namespace minitorch::ptx
