// What a PTX text says of its entries, for whoever hands it to a driver: only heads are
// read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace minitorch::ptx {

struct EntryParameter {
  std::string type;      // ".f32", ".b8[12]"
  char letter = 0;       // of the type: f, u, s, b; 0: there was none
  uint32_t element = 0;  // bytes of one element
  uint64_t elements = 1;
};

/// A `.entry`; its name is as the linker has it (demangle.h).
struct Entry {
  std::string name;
  std::vector<EntryParameter> parameters;
};

/// The entries of a text that a driver has taken, in order.
std::vector<Entry> read_entries(std::string_view ptx);

}  // namespace minitorch::ptx
