#include "simt/observers/sectors/sectors.h"

#include <bit>

#include "simt/observers/observed.h"
#include "simt/run/replay.h"

namespace minitorch::simt {

const ObserverRow kSectorsRow = {
    MtCheck_Sectors, false,
    [](const LaunchState& launch) -> std::unique_ptr<Observer> {
      return std::make_unique<Sectors>(launch);
    },
    nullptr};

Sectors::Sectors(const LaunchState& launch)
    : origin_(launch.launch->memory->arena_base()),
      bytes_(launch.launch->memory->arena_size()) {}

Sectors::Page& Sectors::open_page(uint64_t number) {
  if (number >= pages_.size()) pages_.resize(number + 1);
  if (pages_[number] == nullptr) pages_[number] = std::make_unique<Page>();
  return *pages_[number];
}

// A block's accesses are given by their first and last bytes: enough where no sector
// between them is left out.
ReplayPolicy Sectors::learn(const Replay& replay) {
  return replay.has_no_gaps() ? ReplayPolicy::Told : ReplayPolicy::Never;
}

void Sectors::replay_block(const Replay& replay) {
  replay.each_touched(
      [&](const ReplayPlan::Access& access, uint64_t address, uint64_t size) {
        mark(!access.store, access.store, address, size);
      });
}

void Sectors::add(const Observer& other) {
  const auto& pages = static_cast<const Sectors&>(other).pages_;
  for (uint64_t number = 0; number < pages.size(); ++number) {
    if (pages[number] == nullptr) continue;
    Page& to = page_of(number);
    for (uint64_t word = 0; word < kPageWords; ++word) {
      to.read[word] |= pages[number]->read[word];
      to.written[word] |= pages[number]->written[word];
    }
  }
}

void Sectors::give(Outcome& outcome) {
  const auto ones = [](uint64_t bits) {
    return static_cast<uint64_t>(std::popcount(bits));
  };
  MtSectors counts{};
  for (const auto& page : pages_) {
    for (uint64_t word = 0; page != nullptr && word < kPageWords; ++word) {
      counts.read += ones(page->read[word]);
      counts.written += ones(page->written[word]);
      counts.either += ones(page->read[word] | page->written[word]);
    }
  }
  observed_of(outcome).sectors = counts;
}

}  // namespace minitorch::simt
