// What the client's calls order: a clock for each queue, one for the host. All threads
// of the client count as one: how they wait for each other cannot be seen.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace minitorch::libcuda {

/// How far each queue has come, as somebody knows it. Never changed once shared.
class Clock {
 public:
  /// Everything of `queue` up to this number has happened; 0: nothing is known.
  uint64_t at(uint64_t queue) const;
  bool covers(const Clock& other) const;
  void join(const Clock& other);
  void join(uint64_t queue, uint64_t number);
  size_t size() const { return known_.size(); }
  /// Forgets all queues but those for which `wanted(queue)` holds.
  template <class Wanted>
  void keep(Wanted wanted) {
    std::erase_if(known_, [&](const auto& entry) { return !wanted(entry.first); });
  }

 private:
  std::vector<std::pair<uint64_t, uint64_t>> known_;  // by queue
};

/// An operation's place in the order: its number in its queue, and what came before it
/// in others.
struct Moment {
  uint64_t queue = 0, number = 0;  // number 0: from before anybody looked
  std::shared_ptr<const Clock> before;

  bool known() const { return number != 0; }
  /// Whether `earlier` is over when this begins.
  bool after(const Moment& earlier) const;
};

/// A clock that is passed on: copied only when it changes.
class SharedClock {
 public:
  void join(const Clock& other);
  /// The moment, and all that was before it.
  void join(const Moment& moment);
  const std::shared_ptr<const Clock>& get() const { return clock_; }
  template <class Wanted>
  void keep(Wanted wanted) {
    auto smaller = std::make_shared<Clock>(*clock_);
    smaller->keep(wanted);
    clock_ = std::move(smaller);
  }

 private:
  std::shared_ptr<const Clock> clock_ = std::make_shared<const Clock>();
};

/// Whether orders are kept; once begun they are for as long as the process lives, since
/// a gap would look like a race. Nothing is paid before.
bool keeps_order();
void begin_order();

/// Whether what the calling thread queues and waits for is a library's bookkeeping. It
/// orders nothing: a program must not be right only because of when memory was freed.
bool keeps_books();
/// Returns what was set before.
bool set_bookkeeping(bool on);

class Bookkeeping {
 public:
  Bookkeeping() : before_(set_bookkeeping(true)) {}
  ~Bookkeeping() { set_bookkeeping(before_); }
  Bookkeeping(const Bookkeeping&) = delete;
  Bookkeeping& operator=(const Bookkeeping&) = delete;

 private:
  bool before_;
};

}  // namespace minitorch::libcuda
