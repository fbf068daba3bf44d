// The marking of bytes while a launch runs: a bit a byte for each way of use, and who
// was the first in each word.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "simt/observers/footprint/footprint.h"
#include "simt/observing/observer.h"
#include "simt/warp/launch_state.h"

namespace minitorch::simt {

class FootprintWriter final : public Observer {
 public:
  static constexpr ObserverId kId = ObserverId::Footprint;

  explicit FootprintWriter(const LaunchState& launch);
  ~FootprintWriter() override;

  /// `size` bytes at `address` are used by access number `access` of the program,
  /// which is instruction `instruction` of function `function`.
  void mark(Use use, uint64_t address, uint64_t size, uint32_t access,
            Footprint::Place place) {
    uint64_t at = address - origin_;
    if (at >= bytes_ || size > bytes_ - at) return;
    Marks& marks = marks_[static_cast<size_t>(use)];
    if (size >= 256) return mark_many(marks, at, size, access, place);
    while (size > 0) {
      const uint64_t shift = at % 64, part = size < 64 - shift ? size : 64 - shift;
      const uint64_t bits = (~uint64_t{0} >> (64 - part)) << shift;
      uint64_t& word = marks.words[at / 64];
      if ((word & bits) != bits) {
        if (word == 0) open_word(marks, at / 64, access, place);
        word |= bits;
      }
      at += part;
      size -= part;
    }
  }

  /// An allocation that the accesses of one number have used all of: further ones need
  /// not be marked.
  struct Whole {
    uint64_t low = 1, high = 0;
    uint32_t calls = 0, next_look = 256;
  };
  Whole& whole(size_t access) { return whole_[access]; }
  bool is_marked(Use use, uint64_t low, uint64_t high) const;

  ReplayPolicy learn(const Replay& replay) override;
  void replay_block(const Replay& replay) override;
  /// What was marked, once; without the kernel's own heap and the grid's workspace.
  void give(Outcome& outcome) override;

 private:
  struct Marks {
    uint64_t* words = nullptr;
    uint32_t* access = nullptr;  // the first of each word
    std::vector<bool> chunk_used;
    std::vector<uint32_t> chunks;
  };

  /// At offset `at`, word by word.
  void mark_many(Marks& marks, uint64_t at, uint64_t size, uint32_t access,
                 Footprint::Place place);
  void open_word(Marks& marks, uint64_t word, uint32_t access, Footprint::Place place);
  void collect(Marks& marks, Use use, Footprint& to) const;

  const LaunchState& launch_;
  uint64_t origin_ = 0, bytes_ = 0;  // bytes 0: no room, nothing is marked
  uint64_t mapped_ = 0;
  void* memory_ = nullptr;
  std::array<Marks, kUses> marks_;
  std::vector<Footprint::Place> places_;
  std::vector<Whole> whole_;  // by access
};

}  // namespace minitorch::simt
