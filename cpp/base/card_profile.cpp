#include "base/card_profile.h"

namespace minitorch::base {
namespace {

constexpr uint32_t kKiB = 1024;
constexpr uint32_t kMiB = 1024 * kKiB;
constexpr uint64_t kGiB = uint64_t{1024} * kMiB;

constexpr uint32_t kSplits75[] = {32, 64};
constexpr uint32_t kSplits80[] = {0, 8, 16, 32, 64, 100, 132, 164};
constexpr uint32_t kSplits86[] = {0, 8, 16, 32, 64, 100};
constexpr uint32_t kSplits90[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};

constexpr CardProfile kProfiles[] = {
    {
        .key = "t4",
        .name = "Tesla T4 (emulated by minitorch)",
        .compute_major = 7,
        .compute_minor = 5,
        .sm_count = 40,
        .max_warps_per_sm = 32,
        .max_blocks_per_sm = 16,
        .shared_per_sm = 64 * kKiB,
        .shared_per_block = 48 * kKiB,
        .shared_per_block_optin = 64 * kKiB,
        .registers_per_sm = 64 * kKiB,
        .memory_bytes = 15 * kGiB,
        .l2_bytes = 4 * kMiB,
        .clock_khz = 1590000,
        .memory_clock_khz = 5001000,
        .memory_bus_bits = 256,
        .bandwidth = 320'000'000'000,
        .register_unit = 256,
        .partitions_per_sm = 4,
        .shared_unit = 256,
        .shared_reserved = 0,
        .shared_splits_kib = kSplits75,
        .throughput = {.half = 128, .single = 64, .doubles = 2, .tensor = 512},
    },
    {
        .key = "rtx3090",
        .name = "NVIDIA GeForce RTX 3090 (emulated by minitorch)",
        .compute_major = 8,
        .compute_minor = 6,
        .sm_count = 82,
        .max_warps_per_sm = 48,
        .max_blocks_per_sm = 16,
        .shared_per_sm = 100 * kKiB,
        .shared_per_block = 48 * kKiB,
        .shared_per_block_optin = 99 * kKiB,
        .registers_per_sm = 64 * kKiB,
        .memory_bytes = 24 * kGiB,
        .l2_bytes = 6 * kMiB,
        .clock_khz = 1695000,
        .memory_clock_khz = 9751000,
        .memory_bus_bits = 384,
        .bandwidth = 936'000'000'000,
        .register_unit = 256,
        .partitions_per_sm = 4,
        .shared_unit = 128,
        .shared_reserved = 1024,
        .shared_splits_kib = kSplits86,
        .throughput = {.half = 128, .single = 128, .doubles = 2, .tensor = 256},
    },
    {
        .key = "a100",
        .name = "NVIDIA A100-SXM4-40GB (emulated by minitorch)",
        .compute_major = 8,
        .compute_minor = 0,
        .sm_count = 108,
        .max_warps_per_sm = 64,
        .max_blocks_per_sm = 32,
        .shared_per_sm = 164 * kKiB,
        .shared_per_block = 48 * kKiB,
        .shared_per_block_optin = 163 * kKiB,
        .registers_per_sm = 64 * kKiB,
        .memory_bytes = 40 * kGiB,
        .l2_bytes = 40 * kMiB,
        .clock_khz = 1410000,
        .memory_clock_khz = 1215000,
        .memory_bus_bits = 5120,
        .bandwidth = 1'555'000'000'000,
        .register_unit = 256,
        .partitions_per_sm = 4,
        .shared_unit = 128,
        .shared_reserved = 1024,
        .shared_splits_kib = kSplits80,
        .throughput = {.half = 256, .single = 64, .doubles = 32, .tensor = 1024},
    },
    {
        .key = "h100",
        .name = "NVIDIA H100 80GB HBM3 (emulated by minitorch)",
        .compute_major = 9,
        .compute_minor = 0,
        .sm_count = 132,
        .max_warps_per_sm = 64,
        .max_blocks_per_sm = 32,
        .shared_per_sm = 228 * kKiB,
        .shared_per_block = 48 * kKiB,
        .shared_per_block_optin = 227 * kKiB,
        .registers_per_sm = 64 * kKiB,
        .memory_bytes = 80 * kGiB,
        .l2_bytes = 50 * kMiB,
        .clock_khz = 1980000,
        .memory_clock_khz = 2619000,
        .memory_bus_bits = 5120,
        .bandwidth = 3'350'000'000'000,
        .register_unit = 256,
        .partitions_per_sm = 4,
        .shared_unit = 128,
        .shared_reserved = 1024,
        .shared_splits_kib = kSplits90,
        .throughput = {.half = 256, .single = 128, .doubles = 64, .tensor = 2048},
    },
    {
        .key = "h200",
        .name = "NVIDIA H200 (emulated by minitorch)",
        .compute_major = 9,
        .compute_minor = 0,
        .sm_count = 132,
        .max_warps_per_sm = 64,
        .max_blocks_per_sm = 32,
        .shared_per_sm = 228 * kKiB,
        .shared_per_block = 48 * kKiB,
        .shared_per_block_optin = 227 * kKiB,
        .registers_per_sm = 64 * kKiB,
        .memory_bytes = 141'000'000'000,
        .l2_bytes = 60 * kMiB,
        .clock_khz = 1980000,
        .memory_clock_khz = 3201000,
        .memory_bus_bits = 6144,
        .bandwidth = 4'800'000'000'000,
        .register_unit = 256,
        .partitions_per_sm = 4,
        .shared_unit = 128,
        .shared_reserved = 1024,
        .shared_splits_kib = kSplits90,
        .throughput = {.half = 256, .single = 128, .doubles = 64, .tensor = 2048},
    },
};

}  // namespace

std::span<const CardProfile> card_profiles() { return kProfiles; }

const CardProfile* find_card_profile(std::string_view key) {
  for (const CardProfile& profile : kProfiles) {
    if (profile.key == key) return &profile;
  }
  return nullptr;
}

}  // namespace minitorch::base
