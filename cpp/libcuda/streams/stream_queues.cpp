#include "libcuda/streams/stream_queues.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>
#include <utility>

#include "libcuda/streams/host_races.h"

namespace minitorch::libcuda {
namespace {

/// Shared by all groups and never destroyed: threads may outlive static destructors.
struct Shared {
  std::mutex mutex;
  std::condition_variable progress;  // something completed, or a queue has room again
  uint64_t pending = 0;              // operations queued or running anywhere
  uint64_t made[3] = {};             // queues by kind, ever
  std::set<uint64_t> alive;          // queues by id
  SharedClock host;                  // what the client's threads know to be over
};

Shared& shared() {
  static Shared* const state = new Shared;
  return *state;
}

/// Signals are for the client's threads, which know what to do with them.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

uint64_t next_id() {
  static std::atomic<uint64_t> next{1};
  return next++;
}

/// The host has waited for what is over at `moment`; with the lock.
void tell_host(const Moment& moment) {
  if (!moment.known() || keeps_books()) return;
  shared().host.join(moment);
  host_races().host_knows(shared().host.get());
}

}  // namespace

StreamQueue::StreamQueue(Kind kind) : kind(kind), id(next_id()) {}

std::shared_ptr<StreamQueue> QueueGroup::create(StreamQueue::Kind kind) {
  auto queue = std::make_shared<StreamQueue>(kind);
  std::lock_guard lock(shared().mutex);
  ++shared().made[static_cast<int>(kind)];
  shared().alive.insert(queue->id);
  queues_.insert(kind == StreamQueue::Kind::Legacy ? queues_.begin() : queues_.end(),
                 queue);
  return queue;
}

void QueueGroup::close(const std::shared_ptr<StreamQueue>& queue) {
  std::lock_guard lock(shared().mutex);
  queue->closing_ = true;
  if (!queue->started_) leave(queue);
  queue->wake_.notify_one();
}

void QueueGroup::start(const std::shared_ptr<StreamQueue>& queue) {
  if (queue->started_) return;
  const SignalsBlocked blocked;
  std::thread([group = shared_from_this(), queue] { group->work(queue); }).detach();
  queue->started_ = true;
}

void QueueGroup::leave(const std::shared_ptr<StreamQueue>& queue) {
  shared().alive.erase(queue->id);
  std::erase(queues_, queue);
}

bool QueueGroup::orders(const StreamQueue& queue, const StreamQueue& other) const {
  using Kind = StreamQueue::Kind;
  return (queue.kind == Kind::Legacy && other.kind == Kind::Blocking) ||
         (queue.kind == Kind::Blocking && other.kind == Kind::Legacy);
}

void QueueGroup::add_implicit_order(const StreamQueue& queue,
                                    std::vector<Ticket>* after) const {
  for (const auto& other : queues_) {
    if (orders(queue, *other) && other->completed_ < other->submitted_) {
      after->push_back({other, other->submitted_, {}});
    }
  }
}

bool QueueGroup::may_overlap(const StreamQueue& queue) {
  using Kind = StreamQueue::Kind;
  std::lock_guard lock(shared().mutex);
  const auto made = [](Kind kind) { return shared().made[static_cast<int>(kind)]; };
  if (made(Kind::NonBlocking) > 0 || made(Kind::Legacy) > 1) return true;
  return queue.kind == Kind::Blocking && made(Kind::Blocking) > 1;
}

void QueueGroup::trim(StreamQueue& queue) {
  if (queue.before_.get()->size() < queue.trim_at_) return;
  const auto wanted = [](uint64_t id) {
    return shared().alive.contains(id) || host_races().remembers(id);
  };
  queue.before_.keep(wanted);
  shared().host.keep(wanted);
  queue.trim_at_ = std::max<size_t>(64, 2 * queue.before_.get()->size());
}

Moment QueueGroup::place(StreamQueue& queue, const Operation& operation) {
  if (!keeps_order() || keeps_books()) return {};
  SharedClock& before = queue.before_;
  before.join(*shared().host.get());
  for (const Ticket& ticket : operation.after) before.join(ticket.moment);
  for (const auto& other : queues_) {
    if (orders(queue, *other)) before.join(other->last());
  }
  trim(queue);
  ++queue.ordered_;
  const Moment moment = queue.last();
  for (const auto& use : operation.uses) host_races().queued(use, moment);
  return moment;
}

Ticket QueueGroup::submit(const std::shared_ptr<StreamQueue>& queue,
                          Operation operation) {
  std::unique_lock lock(shared().mutex);
  start(queue);
  shared().progress.wait(
      lock, [&] { return operation.light || queue->heavy_ < kQueueLimit; });
  operation.asked_for = operation.after.size();
  const Moment moment = place(*queue, operation);
  if (operation.tells_host) tell_host(moment);
  add_implicit_order(*queue, &operation.after);
  if (!operation.light) ++queue->heavy_;
  queue->operations_.push_back(std::move(operation));
  ++shared().pending;
  queue->wake_.notify_one();
  return {queue, ++queue->submitted_, moment};
}

void QueueGroup::run_here(const std::shared_ptr<StreamQueue>& queue,
                          const Operation& operation) {
  std::unique_lock lock(shared().mutex);
  const Moment moment = place(*queue, operation);
  std::vector<Ticket> after{{queue, queue->submitted_, {}}};
  add_implicit_order(*queue, &after);
  for (const Ticket& ticket : after) {
    shared().progress.wait(lock,
                           [&] { return ticket.queue->completed_ >= ticket.number; });
  }
  lock.unlock();
  operation.run();
  lock.lock();
  if (operation.tells_host) tell_host(moment);
}

void QueueGroup::work(const std::shared_ptr<StreamQueue>& queue) {
  std::unique_lock lock(shared().mutex);
  while (true) {
    queue->wake_.wait(lock,
                      [&] { return !queue->operations_.empty() || queue->closing_; });
    if (queue->operations_.empty()) break;
    for (const Ticket& ticket : queue->operations_.front().after) {
      shared().progress.wait(lock,
                             [&] { return ticket.queue->completed_ >= ticket.number; });
    }
    Operation operation = std::move(queue->operations_.front());
    queue->operations_.pop_front();
    if (!operation.light) --queue->heavy_;
    queue->cancel_.clear();
    const uint64_t number = queue->completed_ + 1;
    const bool cancelled = number <= queue->cancel_through_;
    const bool dropped = cancelled || faulted_ || number <= queue->drop_through_;
    bool lost = dropped && !cancelled && !operation.light;
    for (size_t i = 0; i < operation.asked_for; ++i) {
      lost |= lost_before(operation.after[i]);
    }
    if (lost && queue->lost_ == 0) queue->lost_ = number;
    lock.unlock();
    if (!dropped) {
      operation.run();
    } else if (operation.drop) {
      operation.drop(cancelled);
    }
    operation = {};  // what it kept alive goes before the lock is held again
    lock.lock();
    ++queue->completed_;
    --shared().pending;
    shared().progress.notify_all();
  }
  // A thread that had the stream when another destroyed it may still submit.
  queue->started_ = false;
  leave(queue);
}

void QueueGroup::wait(const std::vector<Ticket>& tickets) {
  std::unique_lock lock(shared().mutex);
  for (const Ticket& ticket : tickets) {
    shared().progress.wait(lock,
                           [&] { return ticket.queue->completed_ >= ticket.number; });
  }
  for (const Ticket& ticket : tickets) tell_host(ticket.moment);
}

void QueueGroup::wait(const std::shared_ptr<StreamQueue>& queue) {
  std::unique_lock lock(shared().mutex);
  const uint64_t number = queue->submitted_;
  // A client may take the default stream's end for that of the streams it waits for.
  std::vector<Moment> over{queue->last()};
  for (const auto& other : queues_) {
    const bool legacy = queue->kind == StreamQueue::Kind::Legacy;
    if (legacy && orders(*queue, *other)) over.push_back(other->last());
  }
  shared().progress.wait(lock, [&] { return queue->completed_ >= number; });
  for (const Moment& moment : over) tell_host(moment);
}

void QueueGroup::wait(const Ticket& ticket) { wait(std::vector{ticket}); }

void QueueGroup::wait_all() {
  std::unique_lock lock(shared().mutex);
  std::vector<Ticket> tickets;
  for (const auto& queue : queues_) {
    tickets.push_back({queue, queue->submitted_, queue->last()});
  }
  lock.unlock();
  wait(tickets);
  host_races().find_order();
}

bool QueueGroup::done(const Ticket& ticket) {
  std::lock_guard lock(shared().mutex);
  const bool over = ticket.queue->completed_ >= ticket.number;
  if (over) tell_host(ticket.moment);
  return over;
}

bool QueueGroup::idle(const std::shared_ptr<StreamQueue>& queue) const {
  std::lock_guard lock(shared().mutex);
  const bool over = queue->completed_ == queue->submitted_;
  if (over) tell_host(queue->last());
  return over;
}

void QueueGroup::drop_pending() {
  std::lock_guard lock(shared().mutex);
  for (const auto& queue : queues_) queue->drop_through_ = queue->submitted_;
}

void QueueGroup::cancel() {
  std::lock_guard lock(shared().mutex);
  for (const auto& queue : queues_) {
    queue->cancel_through_ = queue->submitted_;
    queue->cancel_.request();
  }
}

void QueueGroup::set_faulted(bool faulted) {
  std::lock_guard lock(shared().mutex);
  faulted_ = faulted;
}

bool QueueGroup::lost_before(const Ticket& ticket) {
  return ticket.queue->lost_ != 0 && ticket.queue->lost_ <= ticket.number;
}

bool QueueGroup::take_lost(const Ticket& ticket) {
  std::lock_guard lock(shared().mutex);
  if (!lost_before(ticket)) return false;
  ticket.queue->lost_ = 0;
  return true;
}

bool QueueGroup::take_lost(const std::shared_ptr<StreamQueue>& queue) {
  std::lock_guard lock(shared().mutex);
  bool lost = std::exchange(queue->lost_, 0) != 0;
  if (queue->kind != StreamQueue::Kind::Legacy) return lost;
  for (const auto& other : queues_) {
    if (other->kind != StreamQueue::Kind::Blocking) continue;
    lost |= std::exchange(other->lost_, 0) != 0;
  }
  return lost;
}

bool QueueGroup::take_all_lost() {
  std::lock_guard lock(shared().mutex);
  bool lost = false;
  for (const auto& queue : queues_) lost |= std::exchange(queue->lost_, 0) != 0;
  return lost;
}

bool QueueGroup::wait_idle_everywhere(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(shared().mutex);
  return shared().progress.wait_until(lock, deadline,
                                      [] { return shared().pending == 0; });
}

}  // namespace minitorch::libcuda
