// Device memory: size classes, cached blocks reused in stream order, statistics.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "cuda_client/api.h"

namespace minitorch::cuda_client {

/// Bytes as asked for (`allocated`, `peak`) and as taken from the driver (`reserved`).
struct MemoryStatistics {
  uint64_t allocated = 0, peak = 0, reserved = 0;
  uint64_t live_blocks = 0, total_allocations = 0, driver_allocations = 0;
};

/// The block size that serves a request: four steps per doubling, multiples of 512
/// bytes.
size_t block_size(size_t bytes);

/// A caching allocator over cuMemAlloc; safe to call from any thread. A stream gets its
/// own freed blocks; another's, for which it has to wait, only when the device has no
/// memory left. On the emulator a
/// freed block is off limits until it is used again, and waits in quarantine so that a
/// use after free is found: blocks come back oldest first and not before
/// `kQuarantineBytes` or `kQuarantineBlocks` wait.
///
/// Captured work runs long after it was queued, again and again. So what is allocated
/// in a capture comes from a *pool*, memory of the graphs that were captured in it: a
/// freed block of a pool serves later requests of a capture in that pool, and comes
/// back to all with the pool's last graph. On the emulator it serves requests of the
/// same number of bytes, so that its bounds stay exact; there is no quarantine. Other
/// blocks that captured work uses are kept, too, as long as its graph.
class Allocator {
 public:
  static constexpr size_t kQuarantineBytes = size_t{16} << 20;
  static constexpr size_t kQuarantineBlocks = 64;

  explicit Allocator(std::shared_ptr<Api> api)
      : api_(std::move(api)), generation_(api_->generation()) {}
  /// Gives everything back to the driver.
  ~Allocator();
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;

  /// Never-written memory of at least `bytes`, usable by work queued on `stream` from
  /// now on. Throws OutOfMemory after the cache has been given back without success.
  /// `pool`: that of the capture to which the request belongs; 0 for none.
  CUdeviceptr allocate(size_t bytes, CUstream stream, uint64_t pool = 0);

  /// Gives the block back; work already queued on the streams that used it may still
  /// touch it. Throws ValueError for a pointer that `allocate` did not return. Does
  /// nothing when the device was reset, which took all memory back.
  void free(CUdeviceptr pointer);

  /// Notes that work on `stream` uses the live block holding `pointer`; false if none.
  /// `pool`: the work is captured, into a graph of that pool.
  bool used_on(CUdeviceptr pointer, CUstream stream, uint64_t pool = 0);

  /// A number for a pool, never given before.
  static uint64_t new_pool();
  /// A capture of `stream` into `pool` is about to begin; a graph of that pool exists
  /// until `graph_gone`. What is freed now may serve the pool: `stream` waits for the
  /// work that used it, and graphs are to wait for what `stream` has.
  void capture_begins(uint64_t pool, CUstream stream);
  /// It has ended. What could not be ordered meanwhile is.
  void capture_ends();
  /// Work on `stream` may from now on be a graph of `pool`.
  void replayed_on(uint64_t pool, CUstream stream);
  /// A graph of `pool` is gone, and with the last one the pool.
  void graph_gone(uint64_t pool);

  /// The live block that holds `pointer`: its start and requested size; false if none.
  bool find(CUdeviceptr pointer, CUdeviceptr* base, size_t* bytes) const;

  /// To be called before `stream` is destroyed. If it still has work, the default
  /// stream waits for that work and stands for it from now on.
  void stream_gone(CUstream stream);

  /// Gives all cached blocks back to the driver, which waits for all queued work first.
  void release_cache();

  /// Sets what waits for all queued work in a way that can be interrupted. It is called
  /// before cached blocks are given back, and not under this allocator's lock.
  void set_wait(std::function<void()> wait) { wait_ = std::move(wait); }

  MemoryStatistics statistics() const;
  Api& api() const { return *api_; }

 private:
  struct Block {
    CUdeviceptr pointer = 0;
    size_t size = 0, requested = 0;
    CUstream stream = nullptr;      // whose order reuse follows
    std::vector<CUstream> also_on;  // other streams that used it
    uint64_t pool = 0;              // where it belongs; 0: to all
    std::vector<uint64_t> graphs;   // other pools, of graphs that use it
  };
  struct Pool {
    unsigned graphs = 0;
    bool takes_freed = false;       // what was freed before its last capture began
    std::vector<CUstream> streams;  // where they were launched
    std::list<Block> free;
    std::list<Block> kept;  // freed, but used by one of the graphs
  };

  bool quarantined(const std::list<Block>& blocks) const;
  /// A cached block that `stream` used last.
  bool take_own(size_t size, CUstream stream, Block* block);
  /// One of any stream: `stream` will wait for that stream's work so far.
  bool take_any(size_t size, CUstream stream, Block* block);
  void take(std::list<Block>& blocks, std::list<Block>::iterator chosen, Block* block);
  void keep(Block block);
  /// One of the pool, or with `pool` 0: one that it has not served before.
  Block take_from_pool(size_t bytes, CUstream stream, uint64_t pool);
  /// Where a block goes that nobody uses any more.
  void give_back(Block block);
  /// To all, once the streams that used it have come so far. After a fault it may
  /// throw.
  void share(Block block);
  /// The graphs of `pool` are gone: they no longer use the block.
  void forget_pool(Block& block, uint64_t pool, const std::vector<CUstream>& streams);
  /// False when the device has not so much memory.
  bool allocate_from_driver(size_t size, CUdeviceptr* pointer);
  /// Gives the cache back first; throws OutOfMemory when that is not enough.
  CUdeviceptr allocate_after_release(size_t size, size_t requested,
                                     std::unique_lock<std::mutex>* lock);
  [[noreturn]] void refuse_request(size_t requested) const;
  void order_after(CUstream earlier, CUstream later);
  CUevent mark_end(CUstream stream);
  void release_cache_locked();
  void tell(CUdeviceptr pointer, int64_t bytes) const;

  std::shared_ptr<Api> api_;
  unsigned generation_;
  std::function<void()> wait_;
  mutable std::mutex mutex_;
  std::map<CUdeviceptr, Block> live_;
  std::map<size_t, std::list<Block>> cached_;  // by block size, oldest first
  size_t cached_bytes_ = 0;
  std::map<uint64_t, Pool> pools_;
  unsigned captures_ = 0;       // open ones
  std::list<Block> unordered_;  // freed meanwhile, not to be reused before their end
  std::vector<CUevent> gone_;   // the ends of streams destroyed meanwhile
  MemoryStatistics statistics_;
};

}  // namespace minitorch::cuda_client
