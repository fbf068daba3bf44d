// The tests of host memory: reuse, accounting, threads, sizes beyond the host.
#include "array/host_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "base/error.h"

namespace minitorch::array {
namespace {

#if !defined(__SANITIZE_ADDRESS__)  // which sees every block's end instead of its reuse
TEST(HostMemory, ReusesBlocksOfOneSize) {
  for (const size_t bytes : {1, 64, 1000, 40000, 5 << 20}) {
    void* first = allocate_host(bytes);
    free_host(first, bytes);
    const size_t requests = host_memory().requests;
    void* second = allocate_host(bytes);
    EXPECT_EQ(first, second);
    EXPECT_EQ(host_memory().requests, requests);
    free_host(second, bytes);
  }
}

TEST(HostMemory, GivesKeptBlocksBack) {
  free_host(allocate_host(32 << 20), 32 << 20);
  EXPECT_GE(host_memory().cached, size_t{32} << 20);
  release_cached_host_memory();
  EXPECT_LT(host_memory().cached, size_t{32} << 20);
}

TEST(HostMemory, HoldsAtMostAQuarterMoreThanTheLargestUse) {
  release_cached_host_memory();
  reset_peak_host_memory();
  // Sizes that no two requests share: reuse alone would keep them all.
  for (size_t i = 0; i < 40; ++i) {
    const size_t bytes = (size_t{64} << 20) + i * (9 << 20);
    free_host(allocate_host(bytes), bytes);
  }
  const HostMemory now = host_memory();
  EXPECT_LE(now.in_use + now.cached, now.peak_in_use + now.peak_in_use / 4);
}
#endif

TEST(HostMemory, BlocksAreAlignedLargeEnoughAndApart) {
  std::vector<std::pair<char*, size_t>> blocks;
  for (size_t bytes = 1; bytes < (3 << 20); bytes = bytes * 9 / 8 + 1) {
    auto* block = static_cast<char*>(allocate_host(bytes));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0u);
    std::memset(block, static_cast<int>(blocks.size() % 251), bytes);
    blocks.emplace_back(block, bytes);
  }
  for (size_t i = 0; i < blocks.size(); ++i) {
    const auto [block, bytes] = blocks[i];
    EXPECT_EQ(block[0], static_cast<char>(i % 251));
    EXPECT_EQ(block[bytes - 1], static_cast<char>(i % 251));
    free_host(block, bytes);
  }
}

TEST(HostMemory, WastesAtMostAnEighth) {
  for (size_t bytes = 1025; bytes < (size_t{1} << 30); bytes += bytes / 7 + 1) {
    const size_t before = host_memory().in_use;
    void* block = allocate_host(bytes);
    const size_t taken = host_memory().in_use - before;
    EXPECT_GE(taken, bytes);
    EXPECT_LE(taken, bytes + bytes / 8);
    free_host(block, bytes);
    EXPECT_EQ(host_memory().in_use, before);
  }
}

TEST(HostMemory, AnyThreadMayGiveABlockBack) {
  const size_t before = host_memory().in_use;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (size_t i = 0; i < 2000; ++i) {
        const size_t bytes = 64 << (i % 12);
        void* block = allocate_host(bytes);
        std::memset(block, 1, bytes);
        if (i % 50 == 0) {
          std::thread([=] { free_host(block, bytes); }).join();
        } else {
          free_host(block, bytes);
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(host_memory().in_use, before);
}

TEST(HostMemory, RefusesWhatTheHostLacks) {
  for (const size_t bytes : {size_t{1} << 60, size_t{1} << 62, ~size_t{0}}) {
    EXPECT_THROW(allocate_host(bytes), base::MemoryError);
  }
}

}  // namespace
}  // namespace minitorch::array
