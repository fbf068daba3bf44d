// The tests of the caching allocator, by properties over random histories on a stand-in
// driver.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "cuda_client/buffer.h"
#include "tests/cuda_client/fake_driver.h"

namespace minitorch::cuda_client {
namespace {

const CUstream kFirst = reinterpret_cast<CUstream>(uintptr_t{101});
const CUstream kSecond = reinterpret_cast<CUstream>(uintptr_t{102});

TEST(BlockSize, HoldsTheRequestAndWastesLittle) {
  EXPECT_EQ(block_size(0), 512u);
  EXPECT_EQ(block_size(1), 512u);
  EXPECT_EQ(block_size(512), 512u);
  EXPECT_EQ(block_size(513), 1024u);
  EXPECT_EQ(block_size(4096), 4096u);
  EXPECT_EQ(block_size(4097), 5120u);
  std::mt19937_64 random(1);
  for (int i = 0; i < 10000; ++i) {
    const size_t bytes = random() >> (24 + random() % 40);
    const size_t size = block_size(bytes);
    EXPECT_GE(size, bytes);
    EXPECT_EQ(size % 512, 0u) << bytes;
    EXPECT_EQ(block_size(size), size) << bytes;
    EXPECT_LE(size, std::max<size_t>(512, bytes + bytes / 4 + 512)) << bytes;
  }
}

TEST(Allocator, ReusesABlockOfItsStream) {
  Allocator allocator(make_fake());
  const CUdeviceptr first = allocator.allocate(1000, kFirst);
  allocator.free(first);
  EXPECT_EQ(allocator.allocate(900, kFirst), first);
  EXPECT_TRUE(fake.log.empty()) << "no event is needed on one stream";
}

TEST(Allocator, MakesNoStreamWaitWhileThereIsMemory) {
  Allocator allocator(make_fake());
  const CUdeviceptr first = allocator.allocate(1000, kFirst);
  allocator.free(first);
  EXPECT_NE(allocator.allocate(1000, kSecond), first);
  EXPECT_TRUE(fake.log.empty());
  EXPECT_EQ(allocator.allocate(1000, kFirst), first);
}

TEST(Allocator, OrdersReuseByAnotherStream) {
  Allocator allocator(make_fake());
  fake.capacity = 1024;
  const CUdeviceptr first = allocator.allocate(1000, kFirst);
  allocator.free(first);
  EXPECT_EQ(allocator.allocate(1000, kSecond), first);
  EXPECT_EQ(fake.log, (std::vector<std::string>{"record on 101", "wait on 102"}));
}

TEST(Allocator, OrdersReuseAfterOtherStreamsThatUsedTheBlock) {
  Allocator allocator(make_fake());
  const CUdeviceptr first = allocator.allocate(1000, kFirst);
  EXPECT_TRUE(allocator.used_on(first + 10, kSecond));
  EXPECT_TRUE(allocator.used_on(first + 20, kSecond));
  EXPECT_TRUE(allocator.used_on(first, kFirst));
  EXPECT_FALSE(allocator.used_on(first + 5000, kSecond));
  allocator.free(first);
  EXPECT_EQ(fake.log, (std::vector<std::string>{"record on 102", "wait on 101"}));
}

TEST(Allocator, ForgetsAStreamThatIsGone) {
  Allocator allocator(make_fake());
  allocator.free(allocator.allocate(1000, kFirst));
  allocator.stream_gone(kFirst);
  allocator.allocate(1000, nullptr);
  EXPECT_TRUE(fake.log.empty());
}

TEST(Allocator, TheDefaultStreamStandsForAStreamThatIsGoneWithWork) {
  Allocator allocator(make_fake());
  const CUdeviceptr block = allocator.allocate(1000, kFirst);
  allocator.used_on(block, kSecond);
  fake.busy = kSecond;
  allocator.stream_gone(kSecond);
  EXPECT_EQ(fake.log, (std::vector<std::string>{"record on 102", "wait on 0"}));
  fake.log.clear();
  allocator.free(block);
  EXPECT_EQ(fake.log, (std::vector<std::string>{"record on 0", "wait on 101"}));
}

TEST(Allocator, KeepsABlockWhoseExtentCannotBeSet) {
  Allocator allocator(make_fake(true));
  fake.set_extent_result = CUDA_ERROR_ILLEGAL_ADDRESS;
  EXPECT_THROW(allocator.allocate(1000, nullptr), CudaError);
  EXPECT_EQ(allocator.statistics().live_blocks, 0u);
  EXPECT_EQ(fake.blocks.size(), 1u);
  allocator.release_cache();
  EXPECT_TRUE(fake.blocks.empty());
}

TEST(Allocator, WaitsWithoutItsLockBeforeItGivesItsCacheBack) {
  Allocator allocator(make_fake());
  int waits = 0;
  allocator.set_wait([&] {
    ++waits;
    allocator.statistics();  // takes the lock
    EXPECT_EQ(fake.blocks.size(), 1u);
  });
  fake.capacity = 1 << 20;
  allocator.free(allocator.allocate(512 << 10, nullptr));
  EXPECT_EQ(waits, 0);
  allocator.allocate(1 << 20, nullptr);
  EXPECT_EQ(waits, 1);
}

TEST(Allocator, GivesItsCacheBackBeforeItFails) {
  Allocator allocator(make_fake());
  fake.capacity = 1 << 20;
  const CUdeviceptr half = allocator.allocate(512 << 10, nullptr);
  allocator.free(half);
  EXPECT_EQ(fake.used, size_t{512} << 10);
  EXPECT_NO_THROW(allocator.allocate(1 << 20, nullptr));
  try {
    allocator.allocate(3 << 20, nullptr);
    FAIL() << "no error";
  } catch (const OutOfMemory& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("3145728 bytes (3.0 MiB)"), std::string::npos) << message;
    EXPECT_NE(message.find("0.0 MiB free of 1.0 MiB"), std::string::npos) << message;
  }
}

TEST(Allocator, RefusesAPointerItDidNotGive) {
  Allocator allocator(make_fake());
  const CUdeviceptr block = allocator.allocate(100, nullptr);
  EXPECT_THROW(allocator.free(block + 1), base::ValueError);
  allocator.free(block);
  EXPECT_THROW(allocator.free(block), base::ValueError);
}

TEST(Allocator, FindsTheBlockOfAPointer) {
  Allocator allocator(make_fake());
  const CUdeviceptr block = allocator.allocate(1000, nullptr);
  CUdeviceptr base = 0;
  size_t bytes = 0;
  ASSERT_TRUE(allocator.find(block + 999, &base, &bytes));
  EXPECT_EQ(base, block);
  EXPECT_EQ(bytes, 1000u);
  EXPECT_FALSE(allocator.find(block + 1001, &base, &bytes));
  EXPECT_FALSE(allocator.find(block - 1, &base, &bytes));
}

// Live blocks never overlap and never shrink below the request; the figures agree with
// a plain count; everything goes back at the end.
TEST(Allocator, KeepsItsPromisesOverRandomHistories) {
  for (const bool emulator : {false, true}) {
    const auto api = make_fake(emulator);
    {
      Allocator allocator(api);
      std::map<CUdeviceptr, size_t> live;
      std::mt19937 random(emulator ? 7 : 8);
      uint64_t total = 0, peak = 0;
      for (int step = 0; step < 20000; ++step) {
        if (live.empty() || random() % 5 < 3) {
          const size_t bytes = random() % 4 ? random() % 3000 : random() % 300000;
          const CUstream stream = random() % 3 ? kFirst : kSecond;
          const CUdeviceptr block = allocator.allocate(bytes, stream);
          const auto next = live.lower_bound(block);
          ASSERT_TRUE(next == live.end() || block + bytes <= next->first);
          ASSERT_TRUE(next == live.begin() ||
                      std::prev(next)->first + std::prev(next)->second <= block);
          ASSERT_GE(fake.blocks.at(block), bytes);
          if (emulator) {
            ASSERT_EQ(fake.extents.at(block), bytes);
            ASSERT_FALSE(fake.freed.at(block));
          }
          live[block] = bytes;
          total += bytes;
          peak = std::max(peak, total);
        } else {
          const auto victim = std::next(
              live.begin(), static_cast<std::ptrdiff_t>(random() % live.size()));
          allocator.free(victim->first);
          if (emulator) {
            ASSERT_TRUE(fake.freed.at(victim->first));
          }
          total -= victim->second;
          live.erase(victim);
        }
        const MemoryStatistics now = allocator.statistics();
        ASSERT_EQ(now.allocated, total);
        ASSERT_EQ(now.peak, peak);
        ASSERT_EQ(now.live_blocks, live.size());
        ASSERT_EQ(now.reserved, fake.used);
      }
      EXPECT_LT(allocator.statistics().driver_allocations,
                allocator.statistics().total_allocations);
    }
    EXPECT_TRUE(fake.blocks.empty());
  }
}

TEST(Allocator, QuarantinesOnTheEmulator) {
  Allocator allocator(make_fake(true));
  const CUdeviceptr first = allocator.allocate(1000, nullptr);
  allocator.free(first);
  std::vector<CUdeviceptr> later;
  for (size_t i = 1; i < Allocator::kQuarantineBlocks; ++i) {
    later.push_back(allocator.allocate(1000, nullptr));
    EXPECT_NE(later.back(), first) << "a freed block must stay off limits";
  }
  for (const CUdeviceptr block : later) allocator.free(block);
  EXPECT_EQ(allocator.allocate(1000, nullptr), first) << "the oldest comes first";
}

TEST(Buffer, FreesOnceAndKeepsItsAddress) {
  const auto allocator = std::make_shared<Allocator>(make_fake());
  Buffer buffer(allocator, 100, nullptr);
  const CUdeviceptr address = buffer.pointer();
  buffer.free();
  buffer.free();
  EXPECT_TRUE(buffer.freed());
  EXPECT_EQ(buffer.pointer(), address);
  EXPECT_EQ(allocator->statistics().live_blocks, 0u);
}

TEST(Pools, ServeTheCaptureAgainAndNobodyElse) {
  Allocator allocator(make_fake());
  const uint64_t pool = Allocator::new_pool();
  allocator.capture_begins(pool, kFirst);
  const CUdeviceptr block = allocator.allocate(1000, kFirst, pool);
  allocator.free(block);
  EXPECT_NE(allocator.allocate(1000, kFirst), block);
  EXPECT_EQ(allocator.allocate(900, kFirst, pool), block);
  allocator.free(block);
  EXPECT_NE(allocator.allocate(1000, kSecond, pool), block) << "another order";
  allocator.capture_ends();
  EXPECT_NE(allocator.allocate(1000, kFirst), block) << "a graph may still run";
}

TEST(Pools, ComeBackWithTheirLastGraph) {
  Allocator allocator(make_fake());
  const uint64_t pool = Allocator::new_pool();
  allocator.capture_begins(pool, kFirst);
  const CUdeviceptr freed = allocator.allocate(1000, kFirst, pool);
  const CUdeviceptr live = allocator.allocate(5000, kFirst, pool);
  allocator.free(freed);
  allocator.capture_ends();
  allocator.capture_begins(pool, kFirst);
  allocator.capture_ends();
  allocator.replayed_on(pool, kSecond);
  allocator.graph_gone(pool);
  EXPECT_NE(allocator.allocate(1000, kSecond), freed) << "one graph is left";
  allocator.graph_gone(pool);
  EXPECT_EQ(allocator.allocate(1000, kSecond), freed) << "in the order of the replays";
  allocator.free(live);
  EXPECT_EQ(allocator.allocate(5000, kSecond), live);
  EXPECT_TRUE(fake.log.empty());
}

TEST(Pools, AreOrderedAfterReplaysOnSeveralStreams) {
  Allocator allocator(make_fake());
  const uint64_t pool = Allocator::new_pool();
  allocator.capture_begins(pool, kFirst);
  const CUdeviceptr block = allocator.allocate(1000, kFirst, pool);
  allocator.free(block);
  allocator.capture_ends();
  allocator.replayed_on(pool, kFirst);
  allocator.replayed_on(pool, kSecond);
  allocator.graph_gone(pool);
  EXPECT_EQ(fake.log, (std::vector<std::string>{"record on 101", "wait on 0",
                                                "record on 102", "wait on 0"}));
  EXPECT_EQ(allocator.allocate(1000, nullptr), block);
}

TEST(Pools, TakeWhatWasFreedBefore) {
  Allocator allocator(make_fake());
  const CUdeviceptr before = allocator.allocate(1000, kSecond);
  allocator.free(before);
  const uint64_t pool = Allocator::new_pool();
  allocator.capture_begins(pool, kFirst);
  EXPECT_EQ(fake.log, (std::vector<std::string>{"record on 102", "wait on 101"}));
  const CUdeviceptr meanwhile = allocator.allocate(5000, kSecond);
  allocator.free(meanwhile);
  EXPECT_EQ(allocator.allocate(1000, kFirst, pool), before);
  EXPECT_NE(allocator.allocate(5000, kFirst, pool), meanwhile);
  allocator.capture_ends();
  EXPECT_EQ(allocator.allocate(5000, kSecond), meanwhile);
}

TEST(Pools, KeepWhatTheirGraphsUse) {
  Allocator allocator(make_fake());
  const CUdeviceptr input = allocator.allocate(1000, kSecond);
  const uint64_t pool = Allocator::new_pool();
  allocator.capture_begins(pool, kFirst);
  EXPECT_TRUE(allocator.used_on(input, kFirst, pool));
  allocator.capture_ends();
  allocator.replayed_on(pool, kSecond);
  allocator.free(input);
  EXPECT_NE(allocator.allocate(1000, kSecond), input);
  EXPECT_TRUE(fake.log.empty()) << "nothing has run on the captured stream";
  allocator.graph_gone(pool);
  EXPECT_EQ(allocator.allocate(1000, kSecond), input);
}

TEST(Pools, OrderNothingDuringACapture) {
  Allocator allocator(make_fake());
  const CUdeviceptr block = allocator.allocate(1000, kFirst);
  allocator.used_on(block, kSecond);
  const uint64_t pool = Allocator::new_pool();
  allocator.capture_begins(pool, kFirst);
  allocator.free(block);
  allocator.stream_gone(kSecond);
  EXPECT_EQ(fake.log, std::vector<std::string>{"record on 102"});
  fake.log.clear();
  allocator.capture_ends();
  EXPECT_EQ(fake.log,
            (std::vector<std::string>{"wait on 0", "record on 0", "wait on 101"}));
}

TEST(Pools, OnTheEmulatorHaveExactExtents) {
  Allocator allocator(make_fake(true));
  const uint64_t pool = Allocator::new_pool();
  allocator.capture_begins(pool, kFirst);
  const CUdeviceptr block = allocator.allocate(1000, kFirst, pool);
  allocator.free(block);
  EXPECT_FALSE(fake.freed[block]) << "replays use it";
  EXPECT_NE(allocator.allocate(900, kFirst, pool), block);
  EXPECT_EQ(allocator.allocate(1000, kFirst, pool), block);
  EXPECT_EQ(fake.extents[block], 1000u);
  allocator.free(block);
  allocator.capture_ends();
  allocator.graph_gone(pool);
  EXPECT_TRUE(fake.freed[block]);
}

TEST(Pools, AreGivenBackByTheDestructor) {
  {
    Allocator allocator(make_fake());
    const uint64_t pool = Allocator::new_pool();
    allocator.capture_begins(pool, kFirst);
    allocator.allocate(1000, kFirst, pool);
    allocator.free(allocator.allocate(2000, kFirst, pool));
    allocator.free(allocator.allocate(3000, kFirst));
  }
  EXPECT_TRUE(fake.blocks.empty());
}

TEST(Pools, SayWhatDoesNotFit) {
  Allocator allocator(make_fake());
  fake.capacity = 4096;
  allocator.free(allocator.allocate(1000, kFirst));
  const uint64_t pool = Allocator::new_pool();
  allocator.capture_begins(pool, kFirst);
  EXPECT_THROW(allocator.allocate(4096, kFirst, pool), OutOfMemory);
  EXPECT_NE(allocator.allocate(1000, kFirst, pool), 0u);
}

}  // namespace
}  // namespace minitorch::cuda_client
