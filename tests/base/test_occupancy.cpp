// The tests of occupancy: cases worked by hand from the published rules. Compared with
// NVIDIA's own calculator in tests/cuda_abi, where its header is at hand.
#include "base/occupancy.h"

#include <gtest/gtest.h>

namespace minitorch::base {
namespace {

const CardProfile& card(const char* key) { return *find_card_profile(key); }

struct Case {
  const char* key;
  BlockNeeds needs;
  int blocks;
  double fraction;
  uint32_t limiters;
};

BlockNeeds needs(int threads, int registers, uint64_t fixed = 0, uint64_t dynamic = 0,
                 uint64_t limit = 49152) {
  return {.threads = threads,
          .registers = registers,
          .static_shared = fixed,
          .dynamic_shared = dynamic,
          .dynamic_limit = limit};
}

// A multiprocessor has 65,536 registers in 4 partitions; a warp of r registers takes
// 32 r of them, rounded up to 256. Shared memory of a block is rounded up to 256 bytes
// (t4) or 128, and 1 KiB of it is the driver's from compute 8.0 on.
const Case kCases[] = {
    // 32 warps / 8; registers would do for 64 warps.
    {"t4", needs(256, 32), 4, 1.0, LimitWarps},
    // 2,048 a warp: 8 in each of the 4 partitions, 32 warps.
    {"t4", needs(256, 64), 4, 1.0, LimitWarps | LimitRegisters},
    // 2,080 becomes 2,304 a warp: 7 in each partition, 28 warps, 3 blocks of 8.
    {"t4", needs(256, 65), 3, 0.75, LimitRegisters},
    {"t4", needs(32, 16), 16, 0.5, LimitBlocks},
    {"t4", needs(33, 16), 16, 1.0, LimitWarps | LimitBlocks},
    {"t4", needs(128, 32, 20480), 3, 0.375, LimitShared},
    // 20,481 becomes 20,736; 65,536 / 20,736 = 3.16.
    {"t4", needs(128, 32, 20000, 481), 3, 0.375, LimitShared},
    // 5,376 a warp: 3 in each partition, 12 warps, 4 blocks of 3.
    {"t4", needs(96, 168), 4, 0.375, LimitRegisters},
    // 2,304 x 32 warps is more than the file has: such a block cannot start.
    {"t4", needs(1024, 65), 0, 0.0, LimitRegisters},
    // 9 warps are admitted as 12: 8,192 x 12 is too much. 7 count as 8 and fit.
    {"t4", needs(288, 255), 0, 0.0, LimitRegisters},
    {"t4", needs(224, 255), 1, 7.0 / 32, LimitRegisters},
    {"t4", needs(128, 32, 0, 65536), 0, 0.0, LimitShared},
    {"t4", needs(128, 32, 0, 65536, 65536), 1, 4.0 / 32, LimitShared},
    {"t4", needs(1025, 16), 0, 0.0, LimitWarps},
    {"a100", needs(256, 32), 8, 1.0, LimitWarps | LimitRegisters},
    // 33,792 with the driver's; 167,936 / 33,792 = 4.97.
    {"a100", needs(128, 32, 32768), 4, 0.25, LimitShared},
    {"a100", needs(128, 32, 0, 65536), 0, 0.0, LimitShared},
    {"a100", needs(128, 32, 0, 65536, 65536), 2, 0.125, LimitShared},
    {"rtx3090", needs(1024, 32), 1, 32.0 / 48, LimitWarps},
    {"rtx3090", needs(512, 40), 3, 1.0, LimitWarps | LimitRegisters},
    {"rtx3090", needs(32, 32), 16, 1.0 / 3, LimitBlocks},
    // 51,024 becomes 51,072; 102,400 / 51,072 = 2.005.
    {"rtx3090", needs(64, 32, 0, 50000, 50000), 2, 4.0 / 48, LimitShared},
    {"h100", needs(1024, 64), 1, 0.5, LimitRegisters},
    {"h200", needs(64, 0), 32, 1.0, LimitWarps | LimitBlocks},
};

TEST(Occupancy, IsWhatTheRulesGive) {
  for (const Case& c : kCases) {
    const Occupancy result = occupancy(card(c.key), c.needs);
    SCOPED_TRACE(testing::Message()
                 << c.key << ": " << c.needs.threads << " threads, "
                 << c.needs.registers << " registers, " << c.needs.static_shared
                 << " + " << c.needs.dynamic_shared << " bytes");
    EXPECT_EQ(result.blocks, c.blocks);
    EXPECT_DOUBLE_EQ(result.fraction, c.fraction);
    EXPECT_EQ(result.limiters, c.limiters);
  }
}

TEST(Occupancy, TellsWhatIsAllocated) {
  const Occupancy t4 = occupancy(card("t4"), needs(100, 33, 1000));
  EXPECT_EQ(t4.registers_per_block, 4 * 1280);  // 1,056 a warp becomes 5 x 256
  EXPECT_EQ(t4.shared_per_block, 1024u);
  const Occupancy a100 = occupancy(card("a100"), needs(100, 33, 1000));
  EXPECT_EQ(a100.shared_per_block, 2048u);  // 1,000 + 1,024 in units of 128
}

TEST(Occupancy, BarriersCountOnHopper) {
  BlockNeeds many = needs(32, 16);
  many.barriers = 16;  // 64 of them: 4 blocks
  EXPECT_EQ(occupancy(card("h100"), many).blocks, 4);
  EXPECT_EQ(occupancy(card("h100"), many).limiters, LimitBarriers);
  EXPECT_EQ(occupancy(card("a100"), many).blocks, 32);
}

TEST(Occupancy, CarveoutTakesSharedMemoryAway) {
  BlockNeeds some = needs(64, 32, 10240);
  some.carveout = 50;  // 32 of 64 KiB
  EXPECT_EQ(occupancy(card("t4"), some).blocks, 3);
  some.carveout = 0;  // the least split that holds one block
  EXPECT_EQ(occupancy(card("t4"), some).blocks, 3);
  EXPECT_EQ(occupancy(card("a100"), some).blocks, 1);  // 11 KiB of 16 KiB
}

TEST(Occupancy, NonsenseHasNoBlocks) {
  EXPECT_EQ(occupancy(card("t4"), needs(0, 32)).blocks, 0);
  EXPECT_EQ(occupancy(card("t4"), needs(-32, 32)).blocks, 0);
  EXPECT_EQ(occupancy(card("t4"), needs(32, -1)).blocks, 0);
  EXPECT_EQ(occupancy(card("t4"), needs(0x7fffffff, 0x7fffffff)).blocks, 0);
  EXPECT_EQ(occupancy(card("t4"), needs(32, 32, ~0ull, ~0ull, ~0ull)).blocks, 0);
}

TEST(BestBlockSize, FillsTheCard) {
  const BlockSize t4 = best_block_size(card("t4"), needs(0, 32), {}, 0);
  EXPECT_EQ(t4.threads, 1024);
  EXPECT_EQ(t4.grid, 40);
  // 48 warps: two blocks of 24, since one of 32 leaves 16 idle.
  const BlockSize rtx = best_block_size(card("rtx3090"), needs(0, 32), {}, 0);
  EXPECT_EQ(rtx.threads, 768);
  EXPECT_EQ(rtx.grid, 2 * 82);
  // 100 threads are 4 warps: 8 blocks, 800 threads; 96: 960; 64: 16 blocks, 1,024.
  EXPECT_EQ(best_block_size(card("t4"), needs(0, 32), {}, 100).threads, 64);
  EXPECT_EQ(best_block_size(card("t4"), needs(0, 32), {}, 20).threads, 20);
}

TEST(BestBlockSize, AsksForSharedMemoryOfEachSize) {
  // 256 bytes a thread: 64 KiB hold 256 threads, however they are cut.
  const auto bytes = [](int threads) { return static_cast<uint64_t>(threads) * 256; };
  const BlockSize best = best_block_size(card("t4"), needs(0, 32), bytes, 0);
  EXPECT_EQ(best.threads, 128);  // 192 threads would be one block
  EXPECT_EQ(best.grid, 2 * 40);
  const auto too_much = [](int) { return uint64_t{1} << 20; };
  EXPECT_EQ(best_block_size(card("t4"), needs(0, 32), too_much, 0).threads, 0);
}

TEST(AvailableDynamicShared, IsWhatStillFits) {
  EXPECT_EQ(available_dynamic_shared(card("t4"), needs(64, 32), 2), 32768u);
  EXPECT_EQ(available_dynamic_shared(card("t4"), needs(64, 32), 1), 49152u);
  EXPECT_EQ(available_dynamic_shared(card("t4"), needs(64, 32, 0, 0, 65536), 1),
            65536u);
  EXPECT_EQ(available_dynamic_shared(card("a100"), needs(64, 32, 0, 0, 166912), 2),
            81u * 1024);
  EXPECT_FALSE(available_dynamic_shared(card("t4"), needs(1024, 32), 2));
  EXPECT_FALSE(available_dynamic_shared(card("t4"), needs(64, 32), 0));
}

TEST(AvailableDynamicShared, OneUnitMoreDoesNotFit) {
  for (const CardProfile& profile : card_profiles()) {
    for (int blocks = 1; blocks <= 16; ++blocks) {
      BlockNeeds some = needs(64, 32, 1000, 0, profile.shared_per_block_optin - 1000);
      const auto bytes = available_dynamic_shared(profile, some, blocks);
      ASSERT_TRUE(bytes) << profile.key << blocks;
      some.dynamic_shared = *bytes;
      EXPECT_GE(occupancy(profile, some).blocks, blocks) << profile.key << blocks;
      some.dynamic_shared = *bytes + profile.shared_unit;
      EXPECT_LT(occupancy(profile, some).blocks, blocks) << profile.key << blocks;
    }
  }
}

}  // namespace
}  // namespace minitorch::base
