#include "cuda_client/fork_stamp.h"

#include <pthread.h>

#include <atomic>

namespace minitorch::cuda_client {
namespace {

std::atomic<unsigned> forks{0};

void count_fork() { forks.fetch_add(1, std::memory_order_relaxed); }

}  // namespace

unsigned fork_stamp() {
  // Registered at the first question: whoever compares stamps asked once before.
  static const int registered = pthread_atfork(nullptr, nullptr, count_fork);
  (void)registered;
  return forks.load(std::memory_order_relaxed);
}

}  // namespace minitorch::cuda_client
