// What can be said of 32 addresses at once: their pattern, the range they touch and its
// initialised bits. For the isa_*.cpp sources only.
#pragma once

#include <limits>

#include "simt/lanes/rows.h"
#include "simt/warp/context.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

inline constexpr uint32_t kGreatestStride = 4096;

// Addresses of A bytes as numbers to which 64-bit offsets are added. Those of 32 bits
// are signed, so that [%r + immediate] wraps at 32 bits (OpBuilder::address).
template <class A>
using AddressOf = std::conditional_t<sizeof(A) == 8, uint64_t, int32_t>;
template <class A>
struct AddressRowOf {
  typedef AddressOf<A> __attribute__((may_alias)) type;
};
template <class A>
using AddressRow = typename AddressRowOf<A>::type;

template <class A>
[[gnu::noinline]] void find_pattern(Pattern& pattern, const AddressRow<A>* address) {
  const auto* bits = reinterpret_cast<const Row<A>*>(address);
  const A stride = bits[1] - bits[0];
  const A short_stride = static_cast<uint32_t>(stride);  // all that can be strided
  const A low = bits[0], high = bits[16];
  A differs = 0;
  // Whole vectors, as the row was written: pieces across two of them would wait.
  for (uint32_t i = 0; i < 16; ++i) {
    const A step = short_stride * i;
    differs |= (bits[i] - low - step) | (bits[16 + i] - high - step);
  }
  pattern.valid = 1;
  // A half-warp that passes the end of the address space is no run of addresses: ranges
  // and masked moves take base + stride * lane without the carry that is lost.
  const bool passes_end = address[15] < address[0] || address[31] < address[16];
  pattern.strided = differs == 0 && stride <= kGreatestStride && !passes_end;
  if (pattern.strided) {
    pattern.stride = static_cast<uint32_t>(stride);
    pattern.base[0] = static_cast<uint64_t>(address[0]);
    pattern.base[1] = static_cast<uint64_t>(address[16]);
    pattern.low_bits = static_cast<uint8_t>(bits[0] | bits[16] | stride);
    return;
  }
  using Limits = std::numeric_limits<AddressOf<A>>;
  AddressOf<A> least = Limits::max(), greatest = Limits::min();
  A united = 0;
  for (uint32_t i = 0; i < kLanes; ++i) {
    least = address[i] < least ? address[i] : least;
    greatest = address[i] > greatest ? address[i] : greatest;
    united |= bits[i];
  }
  pattern.base[0] = static_cast<uint64_t>(least);
  pattern.base[1] = static_cast<uint64_t>(greatest);
  pattern.low_bits = static_cast<uint8_t>(united);
}

// Bytes [low, high) that lanes touch.
struct Range {
  uint64_t low, high;
};

template <class A>
[[gnu::noinline]] Range executing_range(const LaneState& state,
                                        const AddressRow<A>* address, uint32_t size) {
  using Limits = std::numeric_limits<AddressOf<A>>;
  AddressOf<A> least = Limits::max(), greatest = Limits::min();
  for (uint32_t i = 0; i < kLanes; ++i) {
    const auto on = static_cast<AddressOf<A>>(static_cast<int32_t>(state.lanes[i]));
    const AddressOf<A> low = (address[i] & on) | (Limits::max() & ~on);
    const AddressOf<A> high = (address[i] & on) | (Limits::min() & ~on);
    least = low < least ? low : least;
    greatest = high > greatest ? high : greatest;
  }
  return {static_cast<uint64_t>(least), static_cast<uint64_t>(greatest) + size};
}

// Of all lanes, whether they execute or not.
template <class A>
[[gnu::always_inline]] inline Range touched(const Pattern& pattern, uint32_t size) {
  if (!pattern.strided) return {pattern.base[0], pattern.base[1] + size};
  const uint64_t b0 = pattern.base[0], b1 = pattern.base[1];
  const bool rises = static_cast<AddressOf<A>>(b0) < static_cast<AddressOf<A>>(b1);
  return {rises ? b0 : b1, (rises ? b1 : b0) + 15 * uint64_t{pattern.stride} + size};
}

// Whether the executing lanes touch only bytes of [low, high). Mostly all lanes do, and
// then nobody need ask which of them execute.
template <class A>
[[gnu::always_inline]] inline bool stays_within(const LaneState& state,
                                                const Pattern& pattern,
                                                const AddressRow<A>* address,
                                                uint32_t size, uint64_t offset,
                                                uint64_t low, uint64_t high) {
  const auto within = [&](const Range& range) {
    const uint64_t from = range.low + offset, to = range.high + offset;
    return from >= low && to <= high && from < to;
  };
  if (__builtin_expect(within(touched<A>(pattern, size)), 1)) return true;
  return state.partial && within(executing_range<A>(state, address, size));
}

// Whether all lanes touch one gapless run of bytes, lane after lane.
[[gnu::always_inline]] inline bool gapless(const Pattern& pattern, uint32_t size) {
  return pattern.strided && pattern.stride == size &&
         pattern.base[1] - pattern.base[0] == 16 * uint64_t{size};
}

[[gnu::always_inline]] inline bool bits_are_set(const Context& context,
                                                uint64_t address, uint64_t size) {
  const uint64_t first = address - context.arena_base, shift = first % 64;
  const uint64_t* word = context.init_words + first / 64;
  if (shift + size <= 64) {
    const uint64_t mask = (~uint64_t{0} >> (64 - size)) << shift;
    return (*word & mask) == mask;
  }
  const uint64_t head = ~uint64_t{0} << shift;
  if ((*word & head) != head) return false;
  uint64_t left = size - (64 - shift);
  for (++word; left >= 64; left -= 64, ++word) {
    if (*word != ~uint64_t{0}) return false;
  }
  return left == 0 || (~*word & ((uint64_t{1} << left) - 1)) == 0;
}

}  // namespace
}  // namespace minitorch::simt::MINITORCH_ISA
