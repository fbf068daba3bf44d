// The copying of a piece of PTX with names and file numbers replaced.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

namespace minitorch::ptx {

/// What changes in the texts of one module when they move into another.
struct Replacement {
  std::unordered_map<std::string_view, std::string> names;
  uint32_t first_file = 0;     // added to the file numbers of .loc
  uint32_t max_registers = 0;  // for entries; 0: no limit
};

/// `piece`, a statement at module level, as it reads after `replacement`. Adds every
/// word it uses to `used`, as it was written.
std::string replaced(std::string_view piece, const Replacement& replacement,
                     std::set<std::string_view>& used);

}  // namespace minitorch::ptx
