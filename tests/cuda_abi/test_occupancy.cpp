// Tests that our occupancy is that of NVIDIA's cuda_occupancy.h, over many kernels,
// where that header is at hand.
#include "base/occupancy.h"

#include <gtest/gtest.h>

#ifdef MINITORCH_HAVE_OCCUPANCY_HEADER
#include <cuda_occupancy.h>

namespace {

using minitorch::base::BlockNeeds;
using minitorch::base::CardProfile;
using minitorch::base::Occupancy;

cudaOccDeviceProp properties_of(const CardProfile& card) {
  cudaOccDeviceProp properties;
  properties.computeMajor = card.compute_major;
  properties.computeMinor = card.compute_minor;
  properties.maxThreadsPerBlock = 1024;
  properties.maxThreadsPerMultiprocessor = card.max_warps_per_sm * 32;
  properties.regsPerBlock = 65536;
  properties.regsPerMultiprocessor = static_cast<int>(card.registers_per_sm);
  properties.warpSize = 32;
  properties.sharedMemPerBlock = card.shared_per_block;
  properties.sharedMemPerMultiprocessor = card.shared_per_sm;
  properties.numSms = card.sm_count;
  properties.sharedMemPerBlockOptin = card.shared_per_block_optin;
  properties.reservedSharedMemPerBlock = card.compute_major >= 8 ? 1024 : 0;
  return properties;
}

cudaOccFuncAttributes attributes_of(const BlockNeeds& needs) {
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = needs.max_threads;
  attributes.numRegs = needs.registers;
  attributes.sharedSizeBytes = needs.static_shared;
  attributes.partitionedGCConfig = PARTITIONED_GC_OFF;
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.maxDynamicSharedSizeBytes = needs.dynamic_limit;
  attributes.numBlockBarriers = needs.barriers;
  return attributes;
}

void compare(const CardProfile& card, const BlockNeeds& needs) {
  const cudaOccDeviceProp properties = properties_of(card);
  const cudaOccFuncAttributes attributes = attributes_of(needs);
  cudaOccDeviceState state;
  state.carveoutConfig = needs.carveout;
  cudaOccResult theirs;
  const cudaOccError status = cudaOccMaxActiveBlocksPerMultiprocessor(
      &theirs, &properties, &attributes, &state, needs.threads, needs.dynamic_shared);
  const Occupancy ours = occupancy(card, needs);
  ASSERT_EQ(status, CUDA_OCC_SUCCESS);
  ASSERT_EQ(ours.blocks, theirs.activeBlocksPerMultiprocessor)
      << card.key << ": threads " << needs.threads << ", registers " << needs.registers
      << ", shared " << needs.static_shared << " + " << needs.dynamic_shared << " of "
      << needs.dynamic_limit << ", carveout " << needs.carveout;
  ASSERT_EQ(ours.by_registers, theirs.blockLimitRegs);
  ASSERT_EQ(ours.by_shared, theirs.blockLimitSharedMem);
  ASSERT_EQ(ours.by_warps, theirs.blockLimitWarps);
  ASSERT_EQ(ours.by_blocks, theirs.blockLimitBlocks);
  ASSERT_EQ(ours.by_barriers, theirs.blockLimitBarriers);
  ASSERT_EQ(ours.registers_per_block, theirs.allocatedRegistersPerBlock);
  ASSERT_EQ(ours.shared_per_block, theirs.allocatedSharedMemPerBlock);
}

TEST(OccupancyHeader, AgreesWithOurs) {
  for (const CardProfile& card : minitorch::base::card_profiles())
    for (int threads = 1; threads <= 1056; threads += threads < 70 ? 1 : 31)
      for (int registers = 0; registers <= 255; registers += 3)
        compare(card, {.threads = threads, .registers = registers});
}

TEST(OccupancyHeader, AgreesAboutSharedMemory) {
  for (const CardProfile& card : minitorch::base::card_profiles())
    for (uint64_t fixed = 0; fixed <= 49152; fixed += 4095)
      for (uint64_t dynamic = 0; dynamic <= 240 * 1024; dynamic += 1021)
        for (const uint64_t limit : {uint64_t{49152} - fixed, dynamic})
          compare(card, {.threads = 64,
                         .registers = 24,
                         .static_shared = fixed,
                         .dynamic_shared = dynamic,
                         .dynamic_limit = limit});
}

TEST(OccupancyHeader, AgreesAboutCarveoutsAndBarriers) {
  for (const CardProfile& card : minitorch::base::card_profiles())
    for (int carveout = -1; carveout <= 100; ++carveout)
      for (int barriers = 0; barriers <= 16; barriers += 4)
        for (uint64_t dynamic = 0; dynamic <= 40000; dynamic += 3001)
          compare(card, {.threads = 96,
                         .registers = 40,
                         .dynamic_shared = dynamic,
                         .barriers = barriers,
                         .carveout = carveout});
}

TEST(OccupancyHeader, AgreesAboutTheBestBlockSize) {
  for (const CardProfile& card : minitorch::base::card_profiles()) {
    const cudaOccDeviceProp properties = properties_of(card);
    const cudaOccDeviceState state;
    for (int registers = 0; registers <= 255; registers += 5) {
      for (int bound = 32; bound <= 1024; bound += 124) {
        const BlockNeeds needs{.registers = registers, .max_threads = bound};
        const cudaOccFuncAttributes attributes = attributes_of(needs);
        int grid = 0, block = 0;
        ASSERT_EQ(cudaOccMaxPotentialOccupancyBlockSize(&grid, &block, &properties,
                                                        &attributes, &state, 0),
                  CUDA_OCC_SUCCESS);
        const auto ours = minitorch::base::best_block_size(card, needs, {}, 0);
        ASSERT_EQ(ours.threads, block) << card.key << registers << bound;
        ASSERT_EQ(ours.grid, grid) << card.key << registers << bound;
      }
    }
  }
}

}  // namespace
#endif  // MINITORCH_HAVE_OCCUPANCY_HEADER
