#include "base/thread_pool.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "base/spin.h"

namespace minitorch::base {
namespace {

/// One call of `run`, alive on its caller's stack: whoever takes a task of it is
/// counted in `unfinished`, and the caller leaves only when that is 0.
struct Loop {
  const std::function<void(size_t)>* body;
  size_t workers;
  size_t next = 0;
  std::atomic<size_t> unfinished;  // changed under the lock; read while spinning
  bool caller_sleeps = false;
  std::condition_variable finished;
};

/// The lock is held for moments only: who sleeps for it sleeps too long.
void lock_soon(std::unique_lock<std::mutex>& lock) {
  constexpr int kTries = 200;
  for (int i = 0; i < kTries; ++i) {
    if (lock.try_lock()) return;
    pause_briefly();
  }
  lock.lock();
}

}  // namespace

struct ThreadPool::State {
  std::mutex mutex;
  std::condition_variable work;
  std::deque<Loop*> loops;         // those with tasks that nobody has taken
  std::atomic<size_t> offered{0};  // how many: changed under the lock, too
  bool stopping = false;
  bool spins = false;  // each thread has a processor to wait on
  size_t size = 1;
  std::vector<std::thread> threads;

  /// Takes and runs one task of `loop`; `lock` is held before and after.
  void run_task(Loop& loop, std::unique_lock<std::mutex>& lock) {
    const size_t worker = loop.next++;
    if (loop.next == loop.workers) offered -= std::erase(loops, &loop);
    lock.unlock();
    (*loop.body)(worker);
    lock_soon(lock);
    if (--loop.unfinished == 0 && loop.caller_sleeps) loop.finished.notify_one();
  }

  /// Returns when there is a task or the end; `lock` is held before and after. Who is
  /// woken too late for a short loop spins for the next one, which is often near.
  void await_work(std::unique_lock<std::mutex>& lock) {
    while (!stopping && loops.empty()) {
      if (spins) {
        lock.unlock();
        spin_until([this] { return offered != 0; });
        lock_soon(lock);
      }
      if (!stopping && loops.empty()) work.wait(lock);
    }
  }

  void work_until_stopped() {
    std::unique_lock lock(mutex);
    for (await_work(lock); !stopping; await_work(lock)) {
      Loop* loop = loops.front();
      // The next idle thread begins with another loop, if there is one: callers share.
      loops.pop_front();
      loops.push_back(loop);
      run_task(*loop, lock);
    }
  }

  /// Returns when nobody is inside `loop`; `lock` is held before and after.
  void wait_for(Loop& loop, std::unique_lock<std::mutex>& lock) {
    if (spins && loop.unfinished != 0) {
      lock.unlock();
      spin_until([&loop] { return loop.unfinished == 0; });
      lock_soon(lock);  // so that the last thread has let go of the loop
    }
    loop.caller_sleeps = true;
    loop.finished.wait(lock, [&loop] { return loop.unfinished == 0; });
  }
};

ThreadPool::ThreadPool(size_t size) : state_(std::make_unique<State>()) {
  state_->size = std::max<size_t>(size, 1);
  state_->spins = state_->size > 1 && state_->size <= available_processors();
  for (size_t i = 1; i < state_->size; ++i) {
    state_->threads.emplace_back(
        [state = state_.get()] { state->work_until_stopped(); });
  }
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->work.notify_all();
  for (std::thread& thread : state_->threads) thread.join();
}

size_t ThreadPool::size() const { return state_->size; }

void ThreadPool::run(size_t workers, const std::function<void(size_t)>& body) {
  if (workers <= 1 || size() == 1) {
    for (size_t worker = 0; worker < workers; ++worker) body(worker);
    return;
  }
  Loop loop{&body, workers, 0, workers, false, {}};
  std::unique_lock lock(state_->mutex, std::defer_lock);
  lock_soon(lock);
  state_->loops.push_back(&loop);
  ++state_->offered;
  if (workers == 2) {
    state_->work.notify_one();
  } else {
    state_->work.notify_all();
  }
  while (loop.next < loop.workers) state_->run_task(loop, lock);
  state_->wait_for(loop, lock);
}

void ThreadPool::parallel_for(size_t count, size_t grain,
                              const std::function<void(size_t, size_t)>& body) {
  if (count == 0) return;
  const size_t most = count / std::max<size_t>(grain, 1);
  // Four chunks a thread even out threads of unequal speed.
  const size_t chunks = size() == 1 ? 1 : std::min(most, size() * 4);
  if (chunks <= 1) return body(0, count);
  // The first `count % chunks` chunks are one longer than the others.
  const auto edge = [=](size_t i) {
    return count / chunks * i + std::min(i, count % chunks);
  };
  std::atomic<size_t> next{0};
  run(std::min(chunks, size()), [&](size_t) {
    for (size_t chunk; (chunk = next.fetch_add(1)) < chunks;) {
      body(edge(chunk), edge(chunk + 1));
    }
  });
}

namespace {

std::atomic<ThreadPool*> process_pool{nullptr};

constexpr unsigned kMostThreads = 4096;

size_t wanted_threads() {
  const char* text = std::getenv("MINITORCH_NUM_THREADS");
  if (text == nullptr || *text == '\0') return available_processors();
  unsigned value = 0;
  const char* const end = text + std::strlen(text);
  const auto [rest, failure] = std::from_chars(text, end, value);
  if (failure == std::errc() && rest == end && value >= 1 && value <= kMostThreads)
    return value;
  const size_t threads = available_processors();
  std::fprintf(stderr,
               "[minitorch] got MINITORCH_NUM_THREADS=%s; need 1 to %u. Using %zu.\n",
               text, kMostThreads, threads);
  return threads;
}

// The child has none of the parent's threads, and their locks may be held for ever: the
// old pool is abandoned, not destroyed.
void forget_pool_in_child() { process_pool.store(nullptr); }

}  // namespace

ThreadPool& shared_pool() {
  if (ThreadPool* pool = process_pool.load(std::memory_order_acquire)) return *pool;
  static const int registered = pthread_atfork(nullptr, nullptr, forget_pool_in_child);
  (void)registered;
  // Never destroyed: threads may still be at work while the process exits.
  auto* made = new ThreadPool(wanted_threads());
  ThreadPool* expected = nullptr;
  if (process_pool.compare_exchange_strong(expected, made)) return *made;
  delete made;
  return *expected;
}

}  // namespace minitorch::base
