#include "libcuda/contexts/context.h"

#include <algorithm>
#include <utility>

#include "findings/kinds.h"
#include "findings/report_line.h"
#include "libcuda/inspect/report.h"
#include "libcuda/inspect/report_file.h"
#include "libcuda/streams/host_races.h"

namespace minitorch::libcuda {
namespace {

/// More findings than anyone reads, a few megabytes; later ones are let go, except
/// what stopped a launch.
constexpr size_t kMostFindings = 4096;

CUresult result_of(int32_t kind) {
  const findings::Kind* const row = findings::kind_of(kind);
  const CUresult result = row != nullptr ? row->result : CUDA_SUCCESS;
  // Only stopping findings ask, and a stopped launch is never a success.
  return result == CUDA_SUCCESS ? CUDA_ERROR_LAUNCH_FAILED : result;
}

}  // namespace

Context::Context(Device& device, CUcontext handle, unsigned int flags)
    : device(device),
      handle(handle),
      flags(flags),
      legacy_(queues_->create(StreamQueue::Kind::Legacy)) {}

std::shared_ptr<Stream> Context::wrap(std::shared_ptr<StreamQueue> queue,
                                      unsigned int flags) {
  auto stream = std::make_shared<Stream>();
  stream->context = shared_from_this();
  stream->queue = std::move(queue);
  stream->flags = flags;
  return stream;
}

std::shared_ptr<Stream> Context::legacy_stream() {
  return wrap(legacy_, CU_STREAM_DEFAULT);
}

std::shared_ptr<Stream> Context::thread_stream(uint64_t thread) {
  std::lock_guard lock(mutex_);
  auto& queue = thread_queues_[thread];
  if (queue == nullptr) queue = queues_->create(StreamQueue::Kind::Blocking);
  return wrap(queue, CU_STREAM_DEFAULT);
}

void Context::thread_gone(uint64_t thread) {
  std::lock_guard lock(mutex_);
  const auto it = thread_queues_.find(thread);
  if (it == thread_queues_.end()) return;
  queues_->close(it->second);
  thread_queues_.erase(it);
}

std::shared_ptr<Stream> Context::create_stream(unsigned int flags, int priority) {
  const bool blocking = (flags & CU_STREAM_NON_BLOCKING) == 0;
  auto stream = wrap(queues_->create(blocking ? StreamQueue::Kind::Blocking
                                              : StreamQueue::Kind::NonBlocking),
                     flags);
  stream->priority = priority;
  return stream;
}

uint64_t Context::allocate(uint64_t bytes, const Holding& holding) {
  if (holding.pool != nullptr && !holding.pool->take(bytes)) return 0;
  const bool host = holding.reached_by_host();
  const uint64_t base = device.memory.allocate(
      bytes, host ? Allocation::Kind::Host : Allocation::Kind::Device);
  if (base == 0) {
    if (holding.pool != nullptr) holding.pool->give(bytes);
    return 0;
  }
  if (keeps_order()) host_races().forget(base, bytes);
  // What the host writes there cannot be seen, so it counts as written.
  if (host) device.memory.mark_written(base, bytes);
  std::lock_guard lock(mutex_);
  holdings_.emplace(base, holding);
  return base;
}

std::optional<Holding> Context::let_go(uint64_t base, bool host) {
  std::lock_guard lock(mutex_);
  const auto it = holdings_.find(base);
  const bool wanted =
      it != holdings_.end() && (it->second.origin == Holding::Origin::Host) == host;
  if (!wanted) return std::nullopt;
  Holding holding = std::move(it->second);
  holdings_.erase(it);
  return holding;
}

bool Context::give_back(uint64_t base, const Holding& holding) {
  if (holding.pool != nullptr) holding.pool->give(device.memory.reserved(base));
  return device.memory.release(base);
}

bool Context::release(uint64_t base, bool host) {
  const auto holding = let_go(base, host);
  if (!holding) return false;
  queues_->wait_all();
  return give_back(base, *holding);
}

bool Context::release_in(const std::shared_ptr<StreamQueue>& queue, uint64_t base) {
  const auto holding = let_go(base, false);
  if (!holding) return false;
  const auto run = [self = shared_from_this(), base, holding] {
    self->give_back(base, *holding);
  };
  // Freed also where the work around it is dropped.
  queues_->submit(queue, {run, [run](bool) { run(); }, {}, true});
  return true;
}

std::optional<Holding> Context::holding(uint64_t base) const {
  std::lock_guard lock(mutex_);
  const auto it = holdings_.find(base);
  return it == holdings_.end() ? std::nullopt : std::optional(it->second);
}

void Context::add_outcome(const Outcome& outcome, uint64_t tag) {
  for (const MtFinding& finding : outcome.findings) {
    if (finding.stopped == 0 || !outcome.cancelled) report_finding(finding);
  }
  std::lock_guard lock(mutex_);
  ++statistics_.launches;
  statistics_.blocks += outcome.blocks;
  statistics_.warp_instructions += outcome.warp_instructions;
  for (const MtFinding& finding : outcome.findings) {
    if (finding.stopped != 0 && outcome.cancelled) continue;
    if (finding.stopped != 0 && fault_ == CUDA_SUCCESS) {
      fault_ = last_fault_ = result_of(finding.kind);
      queues_->set_faulted(true);
    }
    if (findings_.size() >= kMostFindings && finding.stopped == 0) continue;
    findings_.push_back(finding);
    findings_.back().launch_tag = tag;
  }
}

void Context::add_race(const MtFinding& finding, std::pair<uint64_t, uint64_t> order,
                       std::optional<uint64_t> record) {
  report_finding(finding);
  std::lock_guard lock(mutex_);
  const std::string place = findings::same_mistake_key(finding);
  if (races_.size() >= kMostFindings && !races_.contains(place)) return;
  const auto [at, fresh] = races_.try_emplace(place, Race{order, finding});
  if (fresh) {
    if (record) records_.add_finding(*record, finding);
    return;
  }
  Race& race = at->second;
  const uint64_t count = race.finding.count + finding.count;
  if (order < race.order) race = {order, finding};
  race.finding.count = count;
}

void Context::fail(CUresult result) {
  std::lock_guard lock(mutex_);
  if (fault_ != CUDA_SUCCESS) return;
  fault_ = last_fault_ = result;
  queues_->set_faulted(true);
}

CUresult Context::result_after(bool lost) {
  std::lock_guard lock(mutex_);
  if (fault_ != CUDA_SUCCESS) {
    fault_told_ = true;
    return fault_;
  }
  return lost ? last_fault_ : CUDA_SUCCESS;
}

CUresult Context::sync_result(const std::shared_ptr<StreamQueue>& queue) {
  return result_after(queues_->take_lost(queue));
}

CUresult Context::sync_result(const Ticket& ticket) {
  return result_after(queues_->take_lost(ticket));
}

CUresult Context::sync_result() { return result_after(queues_->take_all_lost()); }

CUresult Context::call_result() const {
  std::lock_guard lock(mutex_);
  return fault_told_ ? fault_ : CUDA_SUCCESS;
}

CUresult Context::fault() const {
  std::lock_guard lock(mutex_);
  return fault_;
}

std::vector<MtFinding> Context::take_findings() {
  std::lock_guard lock(mutex_);
  // What was queued behind the fault stays dropped, also where it has not been reached.
  if (fault_ != CUDA_SUCCESS) queues_->drop_pending();
  queues_->set_faulted(false);
  fault_ = CUDA_SUCCESS;
  fault_told_ = false;
  std::vector<Race> races;
  for (auto& [place, race] : std::exchange(races_, {})) races.push_back(race);
  std::sort(races.begin(), races.end(),
            [](const Race& a, const Race& b) { return a.order < b.order; });
  for (const Race& race : races) findings_.push_back(race.finding);
  return std::exchange(findings_, {});
}

size_t Context::finding_count() const {
  std::lock_guard lock(mutex_);
  return findings_.size() + races_.size();
}

MtStatistics Context::statistics() const {
  std::lock_guard lock(mutex_);
  MtStatistics now = statistics_;
  now.bytes_allocated = device.memory.used();
  now.bytes_peak = device.memory.peak();
  now.bytes_total = device.memory.capacity();
  return now;
}

void Context::destroy() {
  queues_->wait_all();
  print_findings(take_findings());
  std::map<uint64_t, Holding> holdings;
  {
    std::lock_guard lock(mutex_);
    holdings.swap(holdings_);
    for (const auto& [thread, queue] : thread_queues_) queues_->close(queue);
    thread_queues_.clear();
  }
  for (const auto& [base, holding] : holdings) give_back(base, holding);
  queues_->close(legacy_);
}

}  // namespace minitorch::libcuda
