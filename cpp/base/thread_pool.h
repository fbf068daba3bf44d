// Worker threads for data-parallel loops; knows nothing of what they compute.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace minitorch::base {

/// Number of processors this process may use: affinity mask and cgroup quota, at
/// least 1.
size_t available_processors();

/// A fixed set of threads that runs one parallel loop at a time per caller; several
/// callers may run loops at once (their tasks share the workers). The calling thread
/// works too, so `size() == 1` starts no thread at all.
class ThreadPool {
 public:
  explicit ThreadPool(size_t size);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  size_t size() const;

  /// Calls `body(worker)` once for each worker in [0, workers), at most `size()` of
  /// them at a time, and returns when all are done. `body` must not throw.
  void run(size_t workers, const std::function<void(size_t worker)>& body);

  /// Splits [0, count) into chunks of at least `grain` and calls `body(begin, end)` on
  /// them in parallel. Runs inline when there is one chunk or one thread.
  void parallel_for(size_t count, size_t grain,
                    const std::function<void(size_t begin, size_t end)>& body);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The process-wide pool: MINITORCH_NUM_THREADS, else `available_processors()` threads.
/// Built anew in a forked child, where the parent's threads do not exist.
ThreadPool& shared_pool();

}  // namespace minitorch::base
