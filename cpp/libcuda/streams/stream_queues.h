// The order of work: in-order queues on threads of their own and what one queue waits
// for in another.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/cancel.h"
#include "libcuda/streams/stream_order.h"

namespace minitorch::libcuda {

class MemoryUse;
class StreamQueue;

/// A place in a queue's order: reached when the operation with that number is done.
struct Ticket {
  std::shared_ptr<StreamQueue> queue;
  uint64_t number = 0;
  Moment moment;  // of the operation, where orders are kept
};

struct Operation {
  std::function<void()> run;
  /// Called in place of `run` when the work is dropped, after a fault or because it was
  /// cancelled; empty: nothing to do.
  std::function<void(bool cancelled)> drop;
  std::vector<Ticket> after;
  /// Takes next to no memory, and is queued even where the queue is full, and does not
  /// fill it: a client that frees memory or records an event does not expect to wait.
  bool light = false;
  /// How many of `after` the client asked for; set when it is queued.
  size_t asked_for = 0;
  /// What it does to memory, where somebody looks.
  std::vector<std::shared_ptr<MemoryUse>> uses = {};
  /// A function of the client: the host is taken to know of it from the beginning.
  bool tells_host = false;
};

/// One stream's queue; its state belongs to the QueueGroup and is guarded by its lock.
class StreamQueue {
 public:
  /// How a queue and its group's legacy default queue wait for each other.
  enum class Kind { Legacy, Blocking, NonBlocking };

  explicit StreamQueue(Kind kind);

  /// Set while the running operation should end early; cleared before the next one.
  const base::CancelFlag& cancel() const { return cancel_; }

  const Kind kind;
  const uint64_t id;  // never another queue's

 private:
  friend class QueueGroup;
  Moment last() const { return {id, ordered_, before_.get()}; }

  base::CancelFlag cancel_;
  std::deque<Operation> operations_;
  size_t heavy_ = 0;  // of these, those that are not light
  uint64_t submitted_ = 0, completed_ = 0;
  uint64_t lost_ = 0;  // the first one dropped after a fault and not told; 0: none
  // Operations up to these numbers are dropped.
  uint64_t drop_through_ = 0, cancel_through_ = 0;
  bool started_ = false, closing_ = false;
  uint64_t ordered_ = 0;  // the number of the last moment
  SharedClock before_;    // what came before it
  size_t trim_at_ = 64;   // entries of the clock before gone queues are forgotten
  std::condition_variable wake_;
};

/// All queues of one context. Queues of different groups can wait for each other's
/// tickets: one lock serves them all.
class QueueGroup : public std::enable_shared_from_this<QueueGroup> {
 public:
  static constexpr size_t kQueueLimit = 1024;

  std::shared_ptr<StreamQueue> create(StreamQueue::Kind kind);
  /// The queue ends by itself when its work is done.
  void close(const std::shared_ptr<StreamQueue>& queue);

  /// Queues `operation`; waits while the queue is full, unless it is light.
  Ticket submit(const std::shared_ptr<StreamQueue>& queue, Operation operation);
  /// Waits for everything before and runs `operation` on the calling thread in its
  /// turn. It tells the host when the call is to end with it.
  void run_here(const std::shared_ptr<StreamQueue>& queue, const Operation& operation);
  /// Waits until the queue has done all that has been submitted.
  void wait(const std::shared_ptr<StreamQueue>& queue);
  static void wait(const Ticket& ticket);
  void wait_all();
  static bool done(const Ticket& ticket);
  bool idle(const std::shared_ptr<StreamQueue>& queue) const;

  /// Whether there has been a queue whose work may run beside that of `queue`.
  static bool may_overlap(const StreamQueue& queue);

  /// Everything submitted so far and not yet begun is dropped.
  void drop_pending();
  /// As drop_pending, and what runs is asked to end.
  void cancel();
  /// While set, operations are dropped instead of run.
  void set_faulted(bool faulted);

  /// Whether work before `ticket` was dropped because of a fault, in its queue or in
  /// one that the queue waited for; what has been asked about is not told again.
  bool take_lost(const Ticket& ticket);
  /// The same for all that has been queued in `queue`; the legacy queue answers for
  /// those that it waits for, too.
  bool take_lost(const std::shared_ptr<StreamQueue>& queue);
  bool take_all_lost();

  /// Waits at most until `deadline` for all queues of all groups to be empty.
  static bool wait_idle_everywhere(std::chrono::steady_clock::time_point deadline);

 private:
  void work(const std::shared_ptr<StreamQueue>& queue);
  void leave(const std::shared_ptr<StreamQueue>& queue);
  static void wait(const std::vector<Ticket>& tickets);
  void start(const std::shared_ptr<StreamQueue>& queue);
  static bool lost_before(const Ticket& ticket);
  bool orders(const StreamQueue& queue, const StreamQueue& other) const;
  void add_implicit_order(const StreamQueue& queue, std::vector<Ticket>* after) const;
  /// Gives the operation its moment, and its uses.
  Moment place(StreamQueue& queue, const Operation& operation);
  static void trim(StreamQueue& queue);

  std::vector<std::shared_ptr<StreamQueue>> queues_;  // the legacy one, if any, first
  bool faulted_ = false;
};

}  // namespace minitorch::libcuda
