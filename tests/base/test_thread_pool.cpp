// The tests of the thread pool: every task once, callers side by side, forks.
#include "base/thread_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <ctime>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

namespace minitorch::base {
namespace {

class Pool : public testing::TestWithParam<size_t> {
 protected:
  ThreadPool pool_{GetParam()};
};

TEST_P(Pool, RunsEveryWorkerOnce) {
  for (size_t workers : {0u, 1u, 2u, 3u, 7u, 64u}) {
    std::vector<std::atomic<int>> calls(workers);
    pool_.run(workers, [&](size_t worker) { calls.at(worker)++; });
    for (auto& count : calls) EXPECT_EQ(count, 1);
  }
}

TEST_P(Pool, NeverMoreThanSizeAtOnce) {
  std::atomic<size_t> running{0}, most{0};
  pool_.run(32, [&](size_t) {
    const size_t now = ++running;
    size_t seen = most;
    while (seen < now && !most.compare_exchange_weak(seen, now)) {
    }
    std::this_thread::yield();
    --running;
  });
  EXPECT_LE(most, pool_.size());
}

TEST_P(Pool, ParallelForCoversTheRangeWithoutOverlap) {
  for (size_t count : {0u, 1u, 2u, 9u, 100u, 1009u}) {
    for (size_t grain : {0u, 1u, 10u, 5000u}) {
      std::vector<std::atomic<int>> calls(count);
      pool_.parallel_for(count, grain, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) calls.at(i)++;
      });
      for (auto& cell : calls) ASSERT_EQ(cell, 1) << count << " by " << grain;
    }
  }
}

TEST_P(Pool, ChunksHoldAtLeastTheGrain) {
  std::atomic<size_t> smallest{1000};
  pool_.parallel_for(1000, 300, [&](size_t begin, size_t end) {
    size_t seen = smallest;
    while (seen > end - begin && !smallest.compare_exchange_weak(seen, end - begin)) {
    }
  });
  EXPECT_GE(smallest, 300u);
}

TEST_P(Pool, NestedLoopsFinish) {
  std::atomic<int> calls{0};
  pool_.run(4, [&](size_t) { pool_.run(4, [&](size_t) { ++calls; }); });
  EXPECT_EQ(calls, 16);
}

TEST_P(Pool, SeveralCallersAtOnce) {
  std::vector<std::thread> callers;
  std::vector<size_t> sums(4);
  for (size_t caller = 0; caller < sums.size(); ++caller) {
    callers.emplace_back([&, caller] {
      for (int round = 0; round < 200; ++round) {
        std::atomic<size_t> sum{0};
        pool_.run(3, [&](size_t worker) { sum += worker + 1; });
        sums[caller] += sum;
      }
    });
  }
  for (auto& thread : callers) thread.join();
  for (size_t sum : sums) EXPECT_EQ(sum, 200u * 6u);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Pool, testing::Values(1, 2, 3, 8));

TEST(ThreadPool, ZeroMeansOne) { EXPECT_EQ(ThreadPool(0).size(), 1u); }

TEST(ThreadPool, WorkersReallyRunSideBySide) {
  ThreadPool pool(3);
  std::barrier meeting(3);  // passes only when three threads are inside at once
  pool.run(3, [&](size_t) { meeting.arrive_and_wait(); });
}

TEST(ThreadPool, LoopsAfterPausesOfEveryLengthFinish) {
  // Workers spin, give up, sleep or wake just then.
  ThreadPool pool(2);
  for (int pause = 0; pause < 400; ++pause) {
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::nanoseconds(pause * 400);
    while (std::chrono::steady_clock::now() < end) {
    }
    std::atomic<size_t> sum{0};
    pool.run(2 + static_cast<size_t>(pause % 3),
             [&](size_t worker) { sum += worker + 1; });
    const size_t workers = 2 + static_cast<size_t>(pause % 3);
    ASSERT_EQ(sum, workers * (workers + 1) / 2) << pause;
  }
}

TEST(ThreadPool, ManyShortLivedPoolsEnd) {
  for (int round = 0; round < 100; ++round) {
    ThreadPool pool(2);
    std::atomic<int> calls{0};
    if (round % 2) pool.run(2, [&](size_t) { ++calls; });
    EXPECT_EQ(calls, round % 2 ? 2 : 0);
  }
}

double processor_seconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

TEST(ThreadPool, IdleThreadsUseNoProcessor) {
  ThreadPool pool(available_processors());
  pool.run(4, [](size_t) {});
  const double before = processor_seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_LT(processor_seconds() - before, 0.03);
}

TEST(ThreadPool, ACallerThatWaitsLongSleeps) {
  ThreadPool pool(2);
  std::barrier meeting(2);
  const double before = processor_seconds();
  pool.run(2, [&](size_t worker) {
    meeting.arrive_and_wait();  // so that each thread has one task
    if (worker == 1) std::this_thread::sleep_for(std::chrono::milliseconds(300));
  });
  EXPECT_LT(processor_seconds() - before, 0.03);
}

TEST(ThreadPool, SizeOneStaysOnTheCallingThread) {
  ThreadPool pool(1);
  std::set<std::thread::id> seen;
  pool.run(5, [&](size_t) { seen.insert(std::this_thread::get_id()); });
  EXPECT_EQ(seen, std::set{std::this_thread::get_id()});
}

TEST(SharedPool, IsOneObject) { EXPECT_EQ(&shared_pool(), &shared_pool()); }

TEST(SharedPool, WorksInAForkedChild) {
  std::atomic<int> calls{0};
  shared_pool().run(8, [&](size_t) { ++calls; });
  ASSERT_EQ(calls, 8);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // a child that waits for threads it does not have is killed
    std::atomic<int> count{0};
    shared_pool().run(8, [&](size_t) { ++count; });
    _exit(count == 8 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace minitorch::base
