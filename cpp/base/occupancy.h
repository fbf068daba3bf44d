// How many blocks of a kernel one multiprocessor holds, by the rules of NVIDIA's
// occupancy calculator.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/card_profile.h"

namespace minitorch::base {

/// What a block of a kernel takes of a multiprocessor.
struct BlockNeeds {
  int threads = 0;                 // of the block
  int registers = 0;               // a thread
  uint64_t static_shared = 0;      // bytes
  uint64_t dynamic_shared = 0;     // bytes, of this launch
  uint64_t dynamic_limit = 49152;  // most dynamic bytes that the kernel may be given
  int max_threads = 1024;          // of a block, by the kernel's launch bounds
  int barriers = 1;                // block barriers (counted from compute 9.0 on)
  int carveout = -1;               // percent of shared memory preferred; -1: the most
};

/// What keeps more blocks from running; several may hold at once.
enum OccupancyLimit : uint32_t {
  LimitWarps = 1,
  LimitRegisters = 2,
  LimitShared = 4,
  LimitBlocks = 8,
  LimitBarriers = 16,
};

/// Blocks of each limit; kUnlimited where the kernel takes none of it.
struct Occupancy {
  static constexpr int kUnlimited = 0x7fffffff;

  int blocks = 0;         // on one multiprocessor; 0: such a block cannot run
  int warps = 0;          // of these blocks
  double fraction = 0;    // of the warps that the multiprocessor holds
  uint32_t limiters = 0;  // OccupancyLimit bits
  int by_warps = 0, by_registers = 0, by_shared = 0, by_blocks = 0;
  int by_barriers = kUnlimited;
  int registers_per_block = 0;    // allocated, in whole units
  uint64_t shared_per_block = 0;  // allocated, with what the driver reserves
};

/// Occupancy of `card`; zero blocks for needs that no launch may have.
Occupancy occupancy(const CardProfile& card, const BlockNeeds& needs);

/// The block size with the most resident threads (the largest of equals), and the grid
/// that fills the card; zeros when no block fits. `dynamic_shared` (may be empty) gives
/// the bytes for a block size, `largest` (0: none) bounds it; `needs.threads` is
/// ignored.
struct BlockSize {
  int threads = 0, grid = 0;
};
BlockSize best_block_size(const CardProfile& card, BlockNeeds needs,
                          const std::function<uint64_t(int)>& dynamic_shared,
                          int largest);

/// The most dynamic shared bytes with which `blocks` blocks still fit together; nothing
/// when they do not fit even with none.
std::optional<uint64_t> available_dynamic_shared(const CardProfile& card,
                                                 BlockNeeds needs, int blocks);

}  // namespace minitorch::base
