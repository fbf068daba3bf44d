#include "libcuda/streams/stream_order.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace minitorch::libcuda {
namespace {

std::atomic<bool> order_kept{false};
thread_local bool bookkeeping = false;

}  // namespace

uint64_t Clock::at(uint64_t queue) const {
  const auto found =
      std::lower_bound(known_.begin(), known_.end(), std::pair(queue, uint64_t{0}));
  return found != known_.end() && found->first == queue ? found->second : 0;
}

bool Clock::covers(const Clock& other) const {
  return std::all_of(other.known_.begin(), other.known_.end(), [&](const auto& entry) {
    return at(entry.first) >= entry.second;
  });
}

void Clock::join(const Clock& other) {
  for (const auto& [queue, number] : other.known_) join(queue, number);
}

void Clock::join(uint64_t queue, uint64_t number) {
  const auto found =
      std::lower_bound(known_.begin(), known_.end(), std::pair(queue, uint64_t{0}));
  if (found == known_.end() || found->first != queue) {
    known_.insert(found, {queue, number});
  } else {
    found->second = std::max(found->second, number);
  }
}

bool Moment::after(const Moment& earlier) const {
  if (queue == earlier.queue) return number > earlier.number;
  return before != nullptr && before->at(earlier.queue) >= earlier.number;
}

void SharedClock::join(const Clock& other) {
  if (clock_->covers(other)) return;
  auto joined = std::make_shared<Clock>(*clock_);
  joined->join(other);
  clock_ = std::move(joined);
}

void SharedClock::join(const Moment& moment) {
  if (!moment.known()) return;
  if (moment.before != nullptr) join(*moment.before);
  if (clock_->at(moment.queue) >= moment.number) return;
  auto joined = std::make_shared<Clock>(*clock_);
  joined->join(moment.queue, moment.number);
  clock_ = std::move(joined);
}

bool keeps_order() { return order_kept.load(std::memory_order_relaxed); }
void begin_order() { order_kept.store(true, std::memory_order_relaxed); }

bool keeps_books() { return bookkeeping; }
bool set_bookkeeping(bool on) { return std::exchange(bookkeeping, on); }

}  // namespace minitorch::libcuda
