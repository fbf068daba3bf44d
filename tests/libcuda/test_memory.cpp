// Tests device memory against plain models: a list of ranges and a vector of bools.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "simt/memory/memory.h"

namespace minitorch::simt {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

TEST(Memory, BlocksAreAlignedApartAndUndefined) {
  Memory memory(16 * kMiB);
  std::vector<uint64_t> bases;
  for (uint64_t size : {1, 255, 256, 257, 512, 513, 70000}) {
    const uint64_t base = memory.allocate(size);
    ASSERT_NE(base, 0u);
    EXPECT_EQ(base % 512, 0u);
    EXPECT_TRUE(memory.contains(base) && memory.contains(base + size - 1));
    EXPECT_FALSE(memory.is_written(base, 1));
    std::memset(reinterpret_cast<void*>(base), 1, size);
    bases.push_back(base);
  }
  const auto table = memory.table();
  ASSERT_EQ(table->all().size(), bases.size());
  for (size_t i = 1; i < bases.size(); ++i) {
    EXPECT_GE(table->all()[i].base, table->all()[i - 1].end() + 256);
  }
  EXPECT_GE(table->all()[0].base, memory.arena_base() + 256);
}

// Programs build pools of their own on what cards do.
TEST(Memory, LargerBlocksAreAlignedToPages) {
  Memory memory(64 * kMiB);
  const auto expect_aligned = [&](uint64_t size, uint64_t alignment) {
    for (const auto kind : {Allocation::Kind::Device, Allocation::Kind::Host}) {
      memory.allocate(700);  // so that the next free byte is no round one
      const uint64_t used = memory.used();
      const uint64_t base = memory.allocate(size, kind);
      ASSERT_NE(base, 0u);
      EXPECT_EQ(base % alignment, 0u) << size;
      const uint64_t counted =
          kind == Allocation::Kind::Host ? 0 : (size + 511) / 512 * 512;
      EXPECT_EQ(memory.used(), used + counted);
    }
  };
  expect_aligned(64 * 1024 - 1, 512);
  expect_aligned(64 * 1024, 4096);
  expect_aligned(64 * 1024 + 1, 4096);
  expect_aligned(2 * kMiB - 1, 4096);
  expect_aligned(2 * kMiB, 2 * kMiB);
  expect_aligned(2 * kMiB + 1, 2 * kMiB);
  expect_aligned(5 * kMiB, 2 * kMiB);
}

// The gaps that alignment leaves serve smaller blocks, and all of the capacity can be
// had, freed and had again.
TEST(Memory, AlignmentCostsNoCapacity) {
  Memory memory(64 * kMiB);
  for (int round = 0; round < 20; ++round) {
    std::vector<uint64_t> bases;
    for (int i = 0; i < 30; ++i) {
      bases.push_back(memory.allocate(2 * kMiB + 512));
      ASSERT_NE(bases.back(), 0u) << round << ' ' << i;
      EXPECT_EQ(bases.back() % (2 * kMiB), 0u);
    }
    while (memory.used() < memory.capacity()) {
      bases.push_back(memory.allocate(512));
      ASSERT_NE(bases.back(), 0u) << round << ' ' << memory.used();
    }
    for (const uint64_t base : bases) ASSERT_TRUE(memory.release(base));
    EXPECT_EQ(memory.used(), 0u);
  }
}

TEST(Memory, CapacityIsALimitAndReleaseGivesItBack) {
  Memory memory(4 * kMiB);
  EXPECT_EQ(memory.allocate(0), 0u);
  EXPECT_EQ(memory.allocate(4 * kMiB + 1), 0u);
  EXPECT_EQ(memory.allocate(~uint64_t{0}), 0u);
  const uint64_t all = memory.allocate(4 * kMiB);
  ASSERT_NE(all, 0u);
  EXPECT_EQ(memory.allocate(1), 0u);
  EXPECT_NE(memory.allocate(kMiB, Allocation::Kind::Host), 0u);
  EXPECT_EQ(memory.used(), 4 * kMiB);
  EXPECT_TRUE(memory.release(all));
  EXPECT_EQ(memory.used(), 0u);
  EXPECT_EQ(memory.peak(), 4 * kMiB);
  EXPECT_NE(memory.allocate(4 * kMiB), 0u);
}

TEST(Memory, CapacityCanBeCycledForEver) {
  Memory memory(4 * kMiB);
  for (int i = 0; i < 2000; ++i) {
    const uint64_t base = memory.allocate(3 * kMiB);
    ASSERT_NE(base, 0u) << "round " << i;
    ASSERT_TRUE(memory.release(base));
  }
}

TEST(Memory, ReleasedRangesAreNamedAndNotReusedAtOnce) {
  Memory memory(16 * kMiB);
  const uint64_t base = memory.allocate(1000);
  memory.set_label(base + 10, "weights");
  memory.mark_written(base, 1000);
  EXPECT_TRUE(memory.release(base));
  EXPECT_FALSE(memory.release(base));
  EXPECT_FALSE(memory.release(base + 512));
  EXPECT_FALSE(memory.set_label(base, "again"));
  for (int i = 0; i < 50; ++i) EXPECT_NE(memory.allocate(1000), base);
  const auto table = memory.table();
  const Allocation* freed = table->find(base + 999);
  ASSERT_NE(freed, nullptr);
  EXPECT_FALSE(freed->live);
  EXPECT_EQ(freed->label, "weights");
  EXPECT_FALSE(memory.is_written(base, 1000));
}

TEST(Memory, LargeReleasedRangesReadAsZeroPages) {
  Memory memory(16 * kMiB);
  const uint64_t base = memory.allocate(4 * kMiB);
  std::memset(reinterpret_cast<void*>(base), 0xab, 4 * kMiB);
  memory.release(base);
  EXPECT_EQ(*reinterpret_cast<uint8_t*>(base + 2 * kMiB), 0);
}

TEST(Memory, ExtentShrinksGrowsAndForgetsContents) {
  Memory memory(16 * kMiB);
  const uint64_t base = memory.allocate(4096);
  const uint64_t serial = memory.table()->find(base)->serial;
  memory.mark_written(base, 4096);
  EXPECT_TRUE(memory.set_extent(base, 100));
  EXPECT_FALSE(memory.is_written(base, 1));
  const auto small = memory.table();
  EXPECT_NE(small->find(base + 99), nullptr);
  EXPECT_EQ(small->find(base + 100), nullptr);
  EXPECT_NE(small->find(base)->serial, serial);
  EXPECT_EQ(memory.reserved(base), 4096u);
  EXPECT_TRUE(memory.set_extent(base, 4096));
  EXPECT_NE(memory.table()->find(base + 4095), nullptr);
  EXPECT_FALSE(memory.set_extent(base, 4097));
  EXPECT_FALSE(memory.set_extent(base + 512, 1));
  EXPECT_TRUE(memory.set_live(base, false));
  EXPECT_FALSE(memory.table()->find(base)->live);
  EXPECT_TRUE(memory.set_extent(base, 8));
  EXPECT_TRUE(memory.table()->find(base)->live);
}

TEST(Memory, SnapshotsDoNotChange) {
  Memory memory(16 * kMiB);
  const uint64_t base = memory.allocate(64);
  const auto before = memory.table();
  EXPECT_EQ(before, memory.table());
  memory.release(base);
  EXPECT_TRUE(before->find(base)->live);
  EXPECT_FALSE(memory.table()->find(base)->live);
}

TEST(Memory, NearestPicksTheCloserNeighbour) {
  std::vector<Allocation> items(2);
  items[0].base = 1000, items[0].size = 100;
  items[1].base = 2000, items[1].size = 100;
  const AllocationTable table(items);
  EXPECT_EQ(table.nearest(0)->base, 1000u);
  EXPECT_EQ(table.nearest(1050)->base, 1000u);
  EXPECT_EQ(table.nearest(1200)->base, 1000u);
  EXPECT_EQ(table.nearest(1900)->base, 2000u);
  EXPECT_EQ(table.nearest(1 << 20)->base, 2000u);
  EXPECT_EQ(table.find(1100), nullptr);
  EXPECT_EQ(AllocationTable({}).nearest(5), nullptr);
}

TEST(Memory, RandomUseMatchesAListOfRanges) {
  std::mt19937_64 random(7);
  Memory memory(8 * kMiB);
  std::map<uint64_t, uint64_t> live;
  uint64_t used = 0;
  for (int step = 0; step < 5000; ++step) {
    if (random() % 2 == 0 || live.empty()) {
      const uint64_t most = random() % 8 ? 3000 : random() % 4 ? 500000 : 4 * kMiB;
      const uint64_t size = 1 + random() % most;
      const uint64_t rounded = (size + 511) / 512 * 512;
      const uint64_t base = memory.allocate(size);
      ASSERT_EQ(base != 0, used + rounded <= 8 * kMiB);
      if (base == 0) continue;
      used += rounded;
      const auto next = live.lower_bound(base);
      if (next != live.end()) {
        ASSERT_GE(next->first, base + size + 256);
      }
      if (next != live.begin()) {
        ASSERT_GE(base, std::prev(next)->first + std::prev(next)->second + 256);
      }
      ASSERT_FALSE(memory.is_written(base, 1) || memory.is_written(base + size - 1, 1));
      memory.mark_written(base, size);
      live[base] = size;
    } else {
      auto victim = std::next(live.begin(), random() % live.size());
      used -= (victim->second + 511) / 512 * 512;
      ASSERT_TRUE(memory.release(victim->first));
      live.erase(victim);
    }
    ASSERT_EQ(memory.used(), used);
  }
  const auto table = memory.table();
  size_t found = 0;
  for (const Allocation& item : table->all()) found += item.live;
  EXPECT_EQ(found, live.size());
  for (const auto& [base, size] : live) {
    EXPECT_EQ(table->find(base + size - 1)->base, base);
    EXPECT_TRUE(memory.is_written(base, size));
  }
}

class InitBits : public testing::Test {
 protected:
  static constexpr uint64_t kBytes = 700;
  Memory memory_{4 * kMiB};
  uint64_t base_ = memory_.allocate(kBytes);
  std::vector<bool> model_ = std::vector<bool>(kBytes);

  void expect_equal(int step) {
    for (uint64_t i = 0; i < kBytes; ++i) {
      ASSERT_EQ(memory_.is_written(base_ + i, 1), model_[i]) << i << " step " << step;
    }
  }
};

TEST_F(InitBits, RandomMarksAndCopiesMatchBools) {
  std::mt19937_64 random(3);
  for (int step = 0; step < 3000; ++step) {
    const uint64_t size = random() % (random() % 4 ? 20 : 400);
    const uint64_t at = random() % (kBytes - size), from = random() % (kBytes - size);
    switch (random() % 3) {
      case 0:
        memory_.mark_written(base_ + at, size);
        std::fill_n(model_.begin() + at, size, true);
        break;
      case 1:
        memory_.mark_undefined(base_ + at, size);
        std::fill_n(model_.begin() + at, size, false);
        break;
      default: {  // as memmove, whatever the overlap
        memory_.copy_bits(base_ + at, base_ + from, size);
        const std::vector<bool> old = model_;
        std::copy_n(old.begin() + from, size, model_.begin() + at);
      }
    }
    const bool all = std::all_of(model_.begin() + at, model_.begin() + at + size,
                                 [](bool bit) { return bit; });
    ASSERT_EQ(memory_.is_written(base_ + at, size), all);
    expect_equal(step);
  }
}

TEST_F(InitBits, LargeRangesAreClearedExactly) {
  const uint64_t big = memory_.allocate(2 * kMiB);
  memory_.mark_written(big, 2 * kMiB);
  memory_.mark_undefined(big + 100, kMiB);
  EXPECT_TRUE(memory_.is_written(big, 100));
  EXPECT_FALSE(memory_.is_written(big + 100, 1));
  EXPECT_FALSE(memory_.is_written(big + 99 + kMiB, 1));
  EXPECT_TRUE(memory_.is_written(big + 100 + kMiB, kMiB - 100));
}

TEST_F(InitBits, NeighboursWrittenByTwoThreadsAreNeverLost) {
  for (int round = 0; round < 50; ++round) {
    memory_.mark_undefined(base_, kBytes);
    const auto every_second = [&](uint64_t first) {
      for (uint64_t i = first; i < kBytes; i += 2) memory_.mark_written(base_ + i, 1);
    };
    std::thread other(every_second, 1);
    every_second(0);
    other.join();
    ASSERT_TRUE(memory_.is_written(base_, kBytes));
  }
}

}  // namespace
}  // namespace minitorch::simt
