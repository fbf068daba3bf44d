// Owns the lookup of names in a decoded module.
#include "ptx/program.h"

namespace minitorch::ptx {
namespace {

template <class Items>
uint32_t find_name(const Items& items, const std::string& name) {
  for (uint32_t i = 0; i < items.size(); ++i)
    if (items[i].name == name) return i;
  return kNone;
}

}  // namespace

uint32_t Module::find_function(const std::string& name) const {
  return find_name(functions, name);
}

uint32_t Module::find_variable(const std::string& name) const {
  return find_name(variables, name);
}

}  // namespace minitorch::ptx
