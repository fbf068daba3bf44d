// Reading what the assembler prints with `--ptxas-options=-v`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace minitorch::nvrtc {

/// Bytes a thread writes to local memory and reads back because registers ran out,
/// counted in the code (once for each instruction), with the functions called.
struct Spills {
  uint64_t stores = 0, loads = 0;
};

/// Spills by the linker's name of each kernel that `log` tells of.
std::map<std::string, Spills> parse_spills(std::string_view log);

/// The assembler's own lines of a compiler log.
std::string assembler_lines(std::string_view log);

}  // namespace minitorch::nvrtc
