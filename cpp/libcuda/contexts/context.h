// One context: its streams, allocations, fault, findings and statistics.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cuda_abi/inspect.h"
#include "libcuda/contexts/device.h"
#include "libcuda/launches/launch_record.h"
#include "libcuda/memory/pools.h"
#include "libcuda/streams/memory_use.h"
#include "libcuda/streams/stream_queues.h"
#include "simt/program/launch.h"

namespace minitorch::libcuda {
using namespace simt;  // the engine's contract

class Context;

/// All bits of CUctx_flags.
inline constexpr unsigned int kContextFlags = 0xff;
inline constexpr int kGreatestPriority = -5;  // of streams; the least is 0

struct Stream {
  /// The value of an attribute as the client gave it; nothing here depends on it.
  using Attribute = std::array<char, 64>;

  std::shared_ptr<Context> context;
  std::shared_ptr<StreamQueue> queue;
  unsigned int flags = 0;
  int priority = 0;
  std::mutex mutex;
  std::map<int, Attribute> attributes;
};

class Context final : public RaceReceiver,
                      public std::enable_shared_from_this<Context> {
 public:
  Context(Device& device, CUcontext handle, unsigned int flags);

  QueueGroup& queues() { return *queues_; }
  std::shared_ptr<Stream> legacy_stream();
  /// The per-thread default stream of the thread with serial number `thread`.
  std::shared_ptr<Stream> thread_stream(uint64_t thread);
  void thread_gone(uint64_t thread);
  std::shared_ptr<Stream> create_stream(unsigned int flags, int priority);

  /// 0 when there is no room.
  uint64_t allocate(uint64_t bytes, const Holding& holding);
  /// Waits for all work first. False when `base` is no allocation of this context, or
  /// none of the host memory, or of the other memory, that is to be freed.
  bool release(uint64_t base, bool host);
  /// The same in the queue's turn, for memory that is not the host's.
  bool release_in(const std::shared_ptr<StreamQueue>& queue, uint64_t base);
  std::optional<Holding> holding(uint64_t base) const;

  /// Takes over what a finished launch found; a stopping fault is kept for the next
  /// sync.
  void add_outcome(const Outcome& outcome, uint64_t tag);
  void add_race(const MtFinding& finding, std::pair<uint64_t, uint64_t> order,
                std::optional<uint64_t> record) override;
  /// A launch ended without memory to say how: no finding, only the result.
  void fail(CUresult result);
  /// What a synchronising call returns: the fault, kept until findings are taken. After
  /// that, once for each stream whose work was dropped because of it, what it was.
  CUresult sync_result(const std::shared_ptr<StreamQueue>& queue);
  CUresult sync_result(const Ticket& ticket);
  CUresult sync_result();  // of the whole context
  /// What other calls return: the fault only after a synchronising call has told it.
  CUresult call_result() const;
  CUresult fault() const;
  std::vector<MtFinding> take_findings();
  size_t finding_count() const;
  MtStatistics statistics() const;

  /// Waits for all work and gives up everything the context owns; call it before
  /// letting go of the context. (No destructor does: the last owner may be a queue's
  /// own thread.)
  void destroy();

  LaunchRecords& records() { return records_; }

  /// What clients set and read back, in bytes.
  struct Limits {
    std::atomic<size_t> stack{1024}, printf_buffer{1 << 20}, heap{8 << 20};
  };

  Device& device;
  const CUcontext handle;
  std::atomic<unsigned int> flags;
  std::atomic<int> cache_config{0};
  std::atomic<int> uses{1};  // by cuCtxAttach and cuCtxDetach
  Limits limits;

 private:
  CUresult result_after(bool lost);
  std::shared_ptr<Stream> wrap(std::shared_ptr<StreamQueue> queue, unsigned int flags);
  std::optional<Holding> let_go(uint64_t base, bool host);
  bool give_back(uint64_t base, const Holding& holding);

  const std::shared_ptr<QueueGroup> queues_ = std::make_shared<QueueGroup>();
  std::shared_ptr<StreamQueue> legacy_;
  mutable std::mutex mutex_;
  std::map<uint64_t, std::shared_ptr<StreamQueue>> thread_queues_;
  std::map<uint64_t, Holding> holdings_;
  std::vector<MtFinding> findings_;
  struct Race {
    std::pair<uint64_t, uint64_t> order;
    MtFinding finding;
  };
  std::map<std::string, Race> races_;  // by place
  LaunchRecords records_;
  CUresult fault_ = CUDA_SUCCESS;
  bool fault_told_ = false;
  CUresult last_fault_ = CUDA_SUCCESS;  // also after findings were taken
  MtStatistics statistics_{};
};

}  // namespace minitorch::libcuda
