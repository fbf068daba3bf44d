// The initialised bits of Memory: marking, asking and copying ranges of any bit
// alignment. Words are little-endian: bit i of the bytes is bit i % 64 of word i / 64.
#include <sys/mman.h>

#include <algorithm>
#include <bit>

#include "simt/memory/memory.h"

namespace minitorch::simt {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr uint64_t kAll = ~uint64_t{0};
constexpr uint64_t kTogether = 16;  // words that one branch looks at
/// Words from which on dropping pages is cheaper than clearing (and refaulting later).
constexpr uint64_t kDropFrom = 256 * kPage / 8;

using Word = std::atomic_ref<uint64_t>;

/// Calls `edge(word, mask)` for the partly covered words of bits [first, first + size)
/// and `middle(word, count)` for the run of whole words between them.
template <class Edge, class Middle>
void for_words(uint64_t first, uint64_t size, Edge edge, Middle middle) {
  if (size == 0) return;
  const uint64_t last = first + size - 1;
  const uint64_t head = kAll << (first % 64), tail = kAll >> (63 - last % 64);
  uint64_t begin = first / 64, end = last / 64;
  if (begin == end) return edge(begin, head & tail);
  if (head != kAll) edge(begin++, head);
  if (tail != kAll) edge(end--, tail);
  if (begin <= end) middle(begin, end - begin + 1);
}

/// 64 bits from bit `first` on; reads past `limit` (a bit index) never happen.
uint64_t gather(const uint64_t* words, uint64_t first, uint64_t limit) {
  const uint64_t shift = first % 64;
  const uint64_t low = words[first / 64] >> shift;
  if (shift == 0 || first / 64 * 64 + 64 >= limit) return low;
  return low | words[first / 64 + 1] << (64 - shift);
}

}  // namespace

void Memory::mark_written_slow(uint64_t address, uint64_t size) {
  uint64_t* const bits = words();
  for_words(
      address - arena_base_, size,
      [&](uint64_t word, uint64_t mask) {
        Word(bits[word]).fetch_or(mask, std::memory_order_relaxed);
      },
      [&](uint64_t word, uint64_t count) {
        for (uint64_t i = 0; i < count; ++i) {
          Word(bits[word + i]).store(kAll, std::memory_order_relaxed);
        }
      });
}

void Memory::mark_undefined(uint64_t address, uint64_t size) {
  uint64_t* const bits = words();
  const auto clear = [&](uint64_t word, uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) {
      Word(bits[word + i]).store(0, std::memory_order_relaxed);
    }
  };
  for_words(
      address - arena_base_, size,
      [&](uint64_t word, uint64_t mask) {
        Word(bits[word]).fetch_and(~mask, std::memory_order_relaxed);
      },
      [&](uint64_t word, uint64_t count) {
        constexpr uint64_t kWordsPerPage = kPage / 8;
        const uint64_t first =
            (word + kWordsPerPage - 1) / kWordsPerPage * kWordsPerPage;
        const uint64_t end = (word + count) / kWordsPerPage * kWordsPerPage;
        // Dropped pages read as zero again: cheaper than clearing, and gives them back.
        if (end < first + kDropFrom ||
            madvise(bits + first, (end - first) * 8, MADV_DONTNEED) != 0) {
          return clear(word, count);
        }
        clear(word, first - word);
        clear(end, word + count - end);
      });
}

bool Memory::is_written(uint64_t address, uint64_t size) const {
  uint64_t* const bits = words();
  bool written = true;
  for_words(
      address - arena_base_, size,
      [&](uint64_t word, uint64_t mask) {
        written &= (Word(bits[word]).load(std::memory_order_relaxed) & mask) == mask;
      },
      [&](uint64_t word, uint64_t count) {
        for (uint64_t i = 0; i < count && written;) {
          const uint64_t end = std::min(i + kTogether, count);
          uint64_t all = kAll;
          for (; i < end; ++i) {
            all &= Word(bits[word + i]).load(std::memory_order_relaxed);
          }
          written = all == kAll;
        }
      });
  return written;
}

void Memory::copy_bits(uint64_t destination, uint64_t source, uint64_t size) {
  if (size == 0 || destination == source) return;
  uint64_t* const bits = words();
  const uint64_t to = destination - arena_base_, from = source - arena_base_;
  const uint64_t first = to / 64, last = (to + size - 1) / 64, limit = from + size;
  const auto copy_word = [&](uint64_t word) {
    const uint64_t begin = std::max(word * 64, to);  // destination bits [begin, end)
    const uint64_t end = std::min(word * 64 + 64, to + size);
    const uint64_t shift = begin % 64;
    const uint64_t mask = (kAll >> (64 - (end - begin))) << shift;
    const uint64_t value = gather(bits, from + (begin - to), limit) << shift;
    if (mask == kAll) return Word(bits[word]).store(value, std::memory_order_relaxed);
    Word(bits[word]).fetch_or(value & mask, std::memory_order_relaxed);
    Word(bits[word]).fetch_and(value | ~mask, std::memory_order_relaxed);
  };
  // Overlapping ranges as memmove: away from the side that is still to be read.
  if (to < from) {
    for (uint64_t word = first; word <= last; ++word) copy_word(word);
  } else {
    for (uint64_t word = last + 1; word-- > first;) copy_word(word);
  }
}

}  // namespace minitorch::simt
