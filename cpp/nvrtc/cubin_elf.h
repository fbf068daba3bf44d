// Reading the ELF frame of a cubin: sections and symbols, each checked against the
// file's end.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace minitorch::nvrtc {

struct ElfSection {
  std::string_view name;
  uint64_t flags = 0, size = 0;
  std::string_view bytes;  // empty where the file holds none (shared memory)
};

struct ElfSymbol {
  std::string_view name;
  uint8_t info = 0, other = 0;
};

/// The parts of one 64-bit little-endian ELF file; views into the text it was read
/// from.
struct Elf {
  uint8_t abi_version = 0;
  uint16_t machine = 0;
  uint32_t flags = 0;
  std::vector<ElfSection> sections;
  std::vector<ElfSymbol> symbols;

  /// The section of that name, or nullptr.
  const ElfSection* section(std::string_view name) const;
};

/// Throws ValueError for a file that is cut short, points outside itself or is no such
/// ELF.
Elf read_elf(std::string_view file);

/// A little-endian number of `bytes` bytes at `at`; throws ValueError beyond the end.
uint64_t read_number(std::string_view bytes, uint64_t at, int width);

}  // namespace minitorch::nvrtc
