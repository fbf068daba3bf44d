#include "base/occupancy.h"

#include <algorithm>

namespace minitorch::base {
namespace {

constexpr int kWarp = 32;
constexpr int kMaxThreadsPerBlock = 1024;
constexpr int kMaxRegisters = 256;  // of a thread, as the calculator has it

template <class Integer>
Integer round_up(Integer value, Integer unit) {
  return (value + unit - 1) / unit * unit;
}

int warps_of(const BlockNeeds& needs) { return (needs.threads + kWarp - 1) / kWarp; }

int limit_by_warps(const CardProfile& card, const BlockNeeds& needs) {
  if (needs.threads > kMaxThreadsPerBlock) return 0;
  return card.max_warps_per_sm / warps_of(needs);
}

// A warp's registers lie in one of the multiprocessor's partitions, in whole units.
int limit_by_registers(const CardProfile& card, const BlockNeeds& needs) {
  if (needs.registers == 0) return Occupancy::kUnlimited;
  const int64_t file = card.registers_per_sm;
  const int64_t partitions = card.partitions_per_sm;
  const int64_t warps = warps_of(needs);
  const int64_t of_warp = round_up(needs.registers * kWarp, card.register_unit);
  // The hardware admits a block as if its warps filled all partitions evenly.
  if (of_warp * round_up(warps, partitions) > file || needs.registers > kMaxRegisters)
    return 0;
  return static_cast<int>(file / partitions / of_warp * partitions / warps);
}

// The smallest split of the L1 cache that gives `bytes`; 0 when none does.
uint64_t split_for(const CardProfile& card, uint64_t bytes) {
  for (const uint32_t kib : card.shared_splits_kib) {
    if (uint64_t{kib} * 1024 >= bytes && (kib > 0 || bytes == 0))
      return uint64_t{kib} * 1024;
  }
  return 0;
}

uint64_t preferred_split(const CardProfile& card, int carveout) {
  if (carveout < 0) return card.shared_per_sm;
  return split_for(
      card, static_cast<uint64_t>(std::min(carveout, 100)) * card.shared_per_sm / 100);
}

uint64_t shared_of(const CardProfile& card, const BlockNeeds& needs) {
  const uint64_t bytes =
      needs.static_shared + needs.dynamic_shared + card.shared_reserved;
  return round_up(bytes, uint64_t{card.shared_unit});
}

// What one block may have: more than the ordinary only where the kernel opted in.
uint64_t shared_allowed(const CardProfile& card, const BlockNeeds& needs) {
  const uint64_t most =
      needs.static_shared + needs.dynamic_limit + card.shared_reserved;
  const uint64_t allowed = most > card.shared_per_block ? card.shared_per_block_optin
                                                        : card.shared_per_block;
  return allowed + card.shared_reserved;
}

int limit_by_shared(const CardProfile& card, const BlockNeeds& needs) {
  const uint64_t bytes = shared_of(card, needs);
  if (needs.dynamic_shared > needs.dynamic_limit) return 0;
  if (bytes > shared_allowed(card, needs)) return 0;
  if (bytes == 0) return Occupancy::kUnlimited;
  uint64_t split = preferred_split(card, needs.carveout);
  if (split < bytes) split = split_for(card, bytes);
  return static_cast<int>(split / bytes);
}

// Barriers of a multiprocessor are counted from compute 9.0 on: two a block.
int limit_by_barriers(const CardProfile& card, const BlockNeeds& needs) {
  if (card.compute_major < 9 || needs.barriers <= 0) return Occupancy::kUnlimited;
  return card.max_blocks_per_sm * 2 / needs.barriers;
}

bool possible(const BlockNeeds& needs) {
  constexpr uint64_t kAbsurd = uint64_t{1} << 32;
  return needs.threads > 0 && needs.registers >= 0 && needs.static_shared < kAbsurd &&
         needs.dynamic_shared < kAbsurd && needs.dynamic_limit < kAbsurd &&
         needs.registers <= 0xffff && needs.threads <= 0xffff;
}

}  // namespace

Occupancy occupancy(const CardProfile& card, const BlockNeeds& needs) {
  Occupancy result;
  if (!possible(needs)) return result;
  result.by_warps = limit_by_warps(card, needs);
  result.by_registers = limit_by_registers(card, needs);
  result.by_shared = limit_by_shared(card, needs);
  result.by_blocks = card.max_blocks_per_sm;
  result.by_barriers = limit_by_barriers(card, needs);
  result.blocks = std::min({result.by_warps, result.by_registers, result.by_shared,
                            result.by_blocks, result.by_barriers});
  const auto note = [&](int limit, OccupancyLimit bit) {
    if (limit == result.blocks) result.limiters |= bit;
  };
  note(result.by_warps, LimitWarps);
  note(result.by_registers, LimitRegisters);
  note(result.by_shared, LimitShared);
  note(result.by_blocks, LimitBlocks);
  note(result.by_barriers, LimitBarriers);
  const int warps = warps_of(needs);
  result.warps = result.blocks * warps;
  result.fraction = static_cast<double>(result.warps) / card.max_warps_per_sm;
  result.registers_per_block =
      round_up(needs.registers * kWarp, card.register_unit) * warps;
  result.shared_per_block = shared_of(card, needs);
  return result;
}

BlockSize best_block_size(const CardProfile& card, BlockNeeds needs,
                          const std::function<uint64_t(int)>& dynamic_shared,
                          int largest) {
  BlockSize best;
  int most = 0;
  int bound = std::min(kMaxThreadsPerBlock, needs.max_threads);
  if (largest > 0) bound = std::min(bound, largest);
  for (int size = round_up(bound, kWarp); size > 0; size -= kWarp) {
    needs.threads = std::min(size, bound);
    if (dynamic_shared) needs.dynamic_shared = dynamic_shared(needs.threads);
    const int blocks = occupancy(card, needs).blocks;
    if (blocks * needs.threads <= most) continue;
    most = blocks * needs.threads;
    best = {needs.threads, blocks * card.sm_count};
    if (most == card.max_warps_per_sm * kWarp) break;
  }
  return best;
}

std::optional<uint64_t> available_dynamic_shared(const CardProfile& card,
                                                 BlockNeeds needs, int blocks) {
  needs.dynamic_shared = 0;
  if (blocks <= 0 || occupancy(card, needs).blocks < blocks) return {};
  const uint64_t split =
      blocks == 1 ? shared_allowed(card, needs) : preferred_split(card, needs.carveout);
  const uint64_t unit = card.shared_unit;
  const uint64_t share = split / static_cast<uint64_t>(blocks) / unit * unit;
  const uint64_t room = std::min(share, shared_allowed(card, needs));
  const uint64_t fixed = needs.static_shared + card.shared_reserved;
  return std::min(room > fixed ? room - fixed : 0, needs.dynamic_limit);
}

}  // namespace minitorch::base
