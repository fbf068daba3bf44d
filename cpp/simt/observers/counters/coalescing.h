// The models of coalescing and banks: how many sectors and wavefronts one access of a
// warp takes, from the addresses of its lanes.
#pragma once

#include <cstdint>

namespace minitorch::simt {

/// 32-byte sectors that lanes touch; accesses are aligned to their size, 16 at most.
uint32_t sectors_of(const uint64_t* at, uint32_t mask, uint32_t size);

/// The same of local memory, where 4-byte word w of lane i lies at (32 w + i) * 4.
uint32_t local_sectors_of(const uint64_t* at, uint32_t mask, uint32_t size);

/// Wavefronts of a shared access: up to 4 bytes the whole warp at once, 8 bytes by
/// half-warps, 16 by quarter-warps; each takes as many as the busiest of 32 banks has
/// different words.
uint32_t wavefronts_of(const uint64_t* at, uint32_t mask, uint32_t size);

/// Wavefronts of an atomic: lanes of one bank go one after another, also on one word.
uint32_t atomic_wavefronts_of(const uint64_t* at, uint32_t mask, uint32_t size);

/// Phases (whole, half or quarter warps) with a lane: wavefronts without conflicts.
inline uint32_t phases_of(uint32_t mask, uint32_t size) {
  if (size <= 4) return mask != 0;
  const uint32_t lanes = size == 8 ? 16 : 8;
  uint32_t phases = 0;
  for (uint32_t first = 0; first < 32; first += lanes) {
    phases += (mask >> first & ((1u << lanes) - 1)) != 0;
  }
  return phases;
}

}  // namespace minitorch::simt
