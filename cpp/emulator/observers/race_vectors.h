// Owns 16 stamps at a time. For the isa_*.cpp sources only. Must not know what stamps
// mean.
#pragma once

#include <cstring>

#include "emulator/lanes/rows.h"
#include "emulator/observers/race_stamps.h"

namespace minitorch::emulator::MINITORCH_ISA {
namespace {

using Stamps [[gnu::vector_size(64)]] = Stamp;
using Truth [[gnu::vector_size(64)]] = int32_t;  // -1 or 0

inline constexpr Truth kAllTrue = {-1, -1, -1, -1, -1, -1, -1, -1,
                                   -1, -1, -1, -1, -1, -1, -1, -1};

[[gnu::always_inline]] inline Stamps load_stamps(const Stamp* from) {
  Stamps stamps;
  std::memcpy(&stamps, from, sizeof stamps);
  return stamps;
}
[[gnu::always_inline]] inline void store_stamps(Stamp* to, const Stamps& stamps) {
  std::memcpy(to, &stamps, sizeof stamps);
}

[[gnu::always_inline]] inline Stamps choose(const Truth& which, const Stamps& yes,
                                            const Stamps& no) {
  const Stamps mask = reinterpret_cast<Stamps>(which);
  return (mask & yes) | (~mask & no);
}

[[gnu::always_inline]] inline bool all_true(const Truth& truth) {
#if defined(__AVX512F__)
  const __m512i bits = reinterpret_cast<__m512i>(truth);
  return _mm512_cmpeq_epi32_mask(bits, _mm512_setzero_si512()) == 0;
#else
  int32_t all = -1;
  for (uint32_t i = 0; i < 16; ++i) all &= truth[i];
  return all != 0;
#endif
}

/// The stamps of lanes that use kCells cells each: row v of 16 cells of the lanes from
/// that of stamp `zero` on.
template <uint32_t kCells>
[[gnu::always_inline]] inline Stamps lanes_of(Stamp zero, uint32_t v) {
  constexpr Stamps kIota = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  return kIota / kCells + (zero + 16 / kCells * v);
}

}  // namespace
}  // namespace minitorch::emulator::MINITORCH_ISA
