#include "simt/observers/counters/coalescing.h"

#include <algorithm>
#include <array>

namespace minitorch::simt {
namespace {

constexpr uint32_t kBanks = 32;

template <size_t kSize>
uint32_t count_different(std::array<uint64_t, kSize>& keys, uint32_t count) {
  bool ascending = true;
  uint32_t different = count != 0;
  for (uint32_t i = 1; i < count; ++i) {
    ascending &= keys[i] >= keys[i - 1];
    different += keys[i] != keys[i - 1];
  }
  if (ascending) return different;
  std::sort(keys.begin(), keys.begin() + count);
  return static_cast<uint32_t>(std::unique(keys.begin(), keys.begin() + count) -
                               keys.begin());
}

/// Different words in the busiest bank, among the words of `lanes`.
uint32_t busiest_bank(const uint64_t* at, uint32_t lanes, uint32_t size) {
  std::array<std::array<uint32_t, 32>, kBanks> words;
  std::array<uint32_t, kBanks> used{};
  uint32_t most = lanes != 0;
  for (uint32_t left = lanes; left; left &= left - 1) {
    const uint64_t address = at[__builtin_ctz(left)];
    for (uint32_t byte = 0; byte < size; byte += 4) {
      const auto word = static_cast<uint32_t>((address + byte) / 4);
      auto& bank = words[word % kBanks];
      uint32_t& count = used[word % kBanks];
      if (std::find(bank.begin(), bank.begin() + count, word) != bank.begin() + count) {
        continue;
      }
      bank[count++] = word;
      most = std::max(most, count);
    }
  }
  return most;
}

}  // namespace

uint32_t sectors_of(const uint64_t* at, uint32_t mask, uint32_t) {
  std::array<uint64_t, 32> keys;
  uint32_t count = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    keys[count++] = at[__builtin_ctz(left)] / 32;
  }
  return count_different(keys, count);
}

uint32_t local_sectors_of(const uint64_t* at, uint32_t mask, uint32_t size) {
  std::array<uint64_t, 128> keys;
  uint32_t count = 0;
  for (uint32_t byte = 0; byte < size; byte += 4) {
    for (uint32_t left = mask; left; left &= left - 1) {
      const uint64_t lane = static_cast<uint64_t>(__builtin_ctz(left));
      keys[count++] = ((at[lane] + byte) / 4 * 32 + lane) * 4 / 32;
    }
  }
  return count_different(keys, count);
}

uint32_t wavefronts_of(const uint64_t* at, uint32_t mask, uint32_t size) {
  if (size <= 4) return busiest_bank(at, mask, size);
  const uint32_t lanes = size == 8 ? 16 : 8;
  uint32_t wavefronts = 0;
  for (uint32_t first = 0; first < 32; first += lanes) {
    const uint32_t phase = mask & ((1u << lanes) - 1) << first;
    if (phase) wavefronts += busiest_bank(at, phase, size);
  }
  return wavefronts;
}

uint32_t atomic_wavefronts_of(const uint64_t* at, uint32_t mask, uint32_t size) {
  std::array<uint32_t, kBanks> used{};
  uint32_t most = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    const uint64_t address = at[__builtin_ctz(left)];
    for (uint32_t byte = 0; byte < size; byte += 4) {
      most = std::max(most, ++used[(address + byte) / 4 % kBanks]);
    }
  }
  return most;
}

}  // namespace minitorch::simt
