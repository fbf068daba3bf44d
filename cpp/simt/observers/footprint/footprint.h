// What an operation touched in memory: exact sets of bytes, kept as runs of equal
// words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "cuda_abi/inspect.h"
#include "ptx/program.h"

namespace minitorch::simt {

/// Asked for by a bit of Launch::checks beside those of MtCheck: Outcome::footprint.
inline constexpr uint32_t kFootprintCheck = 1u << 24;

/// How a byte is used. Strong: by atomics and volatile or otherwise ordered accesses,
/// which do not race with each other.
enum class Use : uint8_t { Read, Write, StrongRead, StrongWrite };
inline constexpr size_t kUses = 4;

/// `count` words of 64 bytes from address 64 * `word` on; bit i of `bits` stands for
/// byte i of each.
struct WordRun {
  uint64_t word = 0, bits = 0;
  uint32_t count = 0;
  uint32_t place = 0;  // whatever the owner's places are
};

struct Footprint {
  /// One instruction that was the first to touch some word.
  struct Place {
    uint32_t function = 0, instruction = 0;
  };
  /// Sorted, without overlaps.
  std::array<std::vector<WordRun>, kUses> runs;
  std::vector<Place> places;
  std::shared_ptr<const ptx::Module> module;  // of `places`; null without

  /// Adds bytes at or behind the last word of that use. False, and nothing is added,
  /// for bytes before it, or when there are too many runs already: what is left out is
  /// not searched.
  bool add(Use use, uint64_t address, uint64_t size, uint32_t place = 0);
  /// The same for whole words.
  bool add_words(Use use, const WordRun& run);
  /// Forgets the bytes in [begin, end), multiples of 64.
  void remove(uint64_t begin, uint64_t end);
  bool empty() const;
  bool touches(Use use, uint64_t begin, uint64_t end) const;
};

/// The first bytes that two operations use so that their order matters.
struct Overlap {
  uint64_t address = 0, size = 0;  // size 0: there are none
  Use first{}, second{};           // by either
  uint32_t first_place = 0, second_place = 0;
};

Overlap find_conflict(const Footprint& first, const Footprint& second);
/// Whether both use some byte by strong accesses, one of them as a write: a flag by
/// which one may tell the other.
bool share_flag(const Footprint& first, const Footprint& second);

/// File, line and calls inlined at a place, for findings.
MtSite site_of_place(const Footprint& footprint, uint32_t place);

}  // namespace minitorch::simt
