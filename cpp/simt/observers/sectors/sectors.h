// The sets of sectors of global memory that a launch's blocks on one host thread read
// and wrote: a bit a sector, in pages made where something is touched.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "simt/observing/observer.h"
#include "simt/warp/launch_state.h"

namespace minitorch::simt {

class Sectors final : public Observer {
 public:
  static constexpr ObserverId kId = ObserverId::Sectors;
  static constexpr uint64_t kSector = 32;  // bytes

  explicit Sectors(const LaunchState& launch);

  /// `bytes` bytes from `address` on, at least one, are read, written or both.
  void mark(bool reads, bool writes, uint64_t address, uint64_t bytes) {
    const uint64_t from = address - origin_;
    if (from >= bytes_ || bytes > bytes_ - from) return;
    uint64_t sector = from / kSector;
    const uint64_t last = (from + bytes - 1) / kSector;
    while (sector <= last) {
      const uint64_t shift = sector % 64;
      const uint64_t count = std::min(last - sector + 1, 64 - shift);
      const uint64_t bits = (~uint64_t{0} >> (64 - count)) << shift;
      Page& page = page_of(sector / kPageSectors);
      const uint64_t word = sector / 64 % kPageWords;
      if (reads) page.read[word] |= bits;
      if (writes) page.written[word] |= bits;
      sector += count;
    }
  }

  ReplayPolicy learn(const Replay& replay) override;
  void replay_block(const Replay& replay) override;
  void add(const Observer& other) override;
  void give(Outcome& outcome) override;

 private:
  static constexpr uint64_t kPageWords = 512;
  static constexpr uint64_t kPageSectors = 64 * kPageWords;  // of 1 MiB of memory
  struct Page {
    std::array<uint64_t, kPageWords> read{}, written{};
  };

  Page& page_of(uint64_t number) {
    if (number < pages_.size() && pages_[number] != nullptr) return *pages_[number];
    return open_page(number);
  }
  Page& open_page(uint64_t number);

  const uint64_t origin_, bytes_;  // of the arena
  std::vector<std::unique_ptr<Page>> pages_;
};

}  // namespace minitorch::simt
