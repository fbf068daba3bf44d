// The data of the emulated cards (t4, rtx3090, a100, h100, h200); computes nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace minitorch::base {

/// Multiply-adds that one multiprocessor starts a clock, by type; `tensor` is what its
/// tensor cores do with 16-bit inputs.
struct Throughput {
  int half, single, doubles, tensor;
};

/// What a card's data sheet says; bytes, kHz and bytes per second.
struct CardProfile {
  std::string_view key;   // "t4"
  std::string_view name;  // "Tesla T4 (emulated by minitorch)"
  int compute_major, compute_minor;
  int sm_count;
  int max_warps_per_sm, max_blocks_per_sm;
  uint32_t shared_per_sm, shared_per_block, shared_per_block_optin;
  uint32_t registers_per_sm;
  uint64_t memory_bytes;
  uint32_t l2_bytes;
  int clock_khz, memory_clock_khz, memory_bus_bits;
  uint64_t bandwidth;
  /// How registers and shared memory are handed out (see base/occupancy.h): registers
  /// in units to a warp, within one partition; shared memory in units to a block, with
  /// bytes that the driver keeps; and how much of the L1 cache can be shared memory.
  int register_unit, partitions_per_sm;
  uint32_t shared_unit, shared_reserved;
  std::span<const uint32_t> shared_splits_kib;  // ascending
  Throughput throughput;

  /// Operations a second (a multiply-add is two) at the clock above.
  double peak(int Throughput::*type) const {
    return 2.0 * throughput.*type * sm_count * clock_khz * 1e3;
  }
};

std::span<const CardProfile> card_profiles();

/// The profile named `key`, or nullptr.
const CardProfile* find_card_profile(std::string_view key);

}  // namespace minitorch::base
