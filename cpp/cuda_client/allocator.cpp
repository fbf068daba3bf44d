#include "cuda_client/allocator.h"

#include <algorithm>
#include <atomic>
#include <bit>

#include "base/memory_watch.h"
#include "base/text.h"
#include "cuda_client/bookkeeping.h"
#include "cuda_client/graph.h"

namespace minitorch::cuda_client {
namespace {

constexpr size_t kGranule = 512;
constexpr int kStepsPerDoubling = 4;

std::string megabytes(uint64_t bytes) {
  const uint64_t tenths = bytes / ((uint64_t{1} << 20) / 10);
  return base::text(tenths / 10, ".", tenths % 10, " MiB");
}

template <class T>
void add_once(std::vector<T>& all, T one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

}  // namespace

size_t block_size(size_t bytes) {
  if (bytes <= kGranule * kStepsPerDoubling)
    return std::max(kGranule, (bytes + kGranule - 1) / kGranule * kGranule);
  const size_t step = std::bit_floor(bytes - 1) / kStepsPerDoubling;
  const size_t unit = std::max(step, kGranule);
  return (bytes + unit - 1) / unit * unit;
}

Allocator::~Allocator() {
  if (!api_->reachable(generation_)) return;
  for (auto& [pointer, block] : live_) cached_[block.size].push_back(block);
  live_.clear();
  for (auto& [number, pool] : pools_) {
    for (Block& block : pool.free) cached_[block.size].push_back(block);
    for (Block& block : pool.kept) cached_[block.size].push_back(block);
  }
  for (Block& block : unordered_) cached_[block.size].push_back(block);
  try {
    release_cache_locked();
  } catch (const base::Error&) {
    // A context that is gone has given everything back itself.
  }
}

CUdeviceptr Allocator::allocate(size_t bytes, CUstream stream, uint64_t pool) {
  std::unique_lock lock(mutex_);
  api_->make_current();
  Block block;
  const size_t size = block_size(bytes);
  if (pool != 0) {
    block = take_from_pool(bytes, stream, pool);
  } else if (!take_own(size, stream, &block)) {
    block.size = size;
    if (!allocate_from_driver(size, &block.pointer) &&
        !take_any(size, stream, &block)) {
      block.pointer = allocate_after_release(size, bytes, &lock);
    }
  }
  // What a pool has served once has its extent, and graphs that use it may be running.
  const bool known = block.pool != 0;
  block.pool = pool;
  block.stream = stream;
  block.requested = bytes;
  if (api_->inspect_set_extent && !known) {
    const CUresult result = api_->inspect_set_extent(block.pointer, bytes, stream);
    if (result != CUDA_SUCCESS) block.pool = 0;
    if (result != CUDA_SUCCESS) keep(std::move(block));
    api_->check(result, "allocator");
  }
  statistics_.allocated += bytes;
  statistics_.peak = std::max(statistics_.peak, statistics_.allocated);
  statistics_.live_blocks += 1;
  statistics_.total_allocations += 1;
  const CUdeviceptr pointer = block.pointer;
  live_.emplace(pointer, std::move(block));
  tell(pointer, static_cast<int64_t>(bytes));
  return pointer;
}

bool Allocator::quarantined(const std::list<Block>& blocks) const {
  return api_->emulated() && cached_bytes_ < kQuarantineBytes &&
         blocks.size() < kQuarantineBlocks;
}

bool Allocator::take_own(size_t size, CUstream stream, Block* block) {
  const auto found = cached_.find(size);
  if (found == cached_.end()) return false;
  std::list<Block>& blocks = found->second;
  if (quarantined(blocks)) return false;
  const auto chosen =
      std::find_if(blocks.begin(), blocks.end(),
                   [stream](const Block& cached) { return cached.stream == stream; });
  if (chosen == blocks.end()) return false;
  take(blocks, chosen, block);
  return true;
}

bool Allocator::take_any(size_t size, CUstream stream, Block* block) {
  const auto found = cached_.find(size);
  if (found == cached_.end() || found->second.empty()) return false;
  if (captures_ > 0) return false;  // an order now could become part of a graph
  const auto oldest = found->second.begin();
  if (oldest->stream != stream) order_after(oldest->stream, stream);
  take(found->second, oldest, block);
  return true;
}

void Allocator::take(std::list<Block>& blocks, std::list<Block>::iterator chosen,
                     Block* block) {
  *block = std::move(*chosen);
  blocks.erase(chosen);
  cached_bytes_ -= block->size;
}

void Allocator::keep(Block block) {
  cached_bytes_ += block.size;
  cached_[block.size].push_back(std::move(block));
}

Allocator::Block Allocator::take_from_pool(size_t bytes, CUstream stream,
                                           uint64_t number) {
  Pool& pool = pools_[number];
  Block block;
  const size_t size = block_size(bytes);
  const auto fits = [&](const Block& free) {
    return free.stream == stream && free.also_on.empty() && free.size == size &&
           (!api_->emulated() || free.requested == bytes);
  };
  const auto own = std::find_if(pool.free.begin(), pool.free.end(), fits);
  if (own != pool.free.end()) {
    block = std::move(*own);
    pool.free.erase(own);
    return block;
  }
  const auto cached = cached_.find(size);
  const bool freed =
      pool.takes_freed && cached != cached_.end() && !cached->second.empty();
  if (freed && !quarantined(cached->second)) {
    take(cached->second, cached->second.begin(), &block);
  } else if (!allocate_from_driver(size, &block.pointer)) {
    if (!freed) refuse_request(bytes);
    take(cached->second, cached->second.begin(), &block);
  }
  block.size = size;
  return block;
}

bool Allocator::allocate_from_driver(size_t size, CUdeviceptr* pointer) {
  const CaptureTolerated tolerated(*api_);
  const CUresult result = api_->mem_alloc(pointer, size);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) return false;
  api_->check(result, "allocator");
  statistics_.reserved += size;
  statistics_.driver_allocations += 1;
  return true;
}

CUdeviceptr Allocator::allocate_after_release(size_t size, size_t requested,
                                              std::unique_lock<std::mutex>* lock) {
  CUdeviceptr pointer = 0;
  if (cached_bytes_ > 0 && captures_ == 0) {
    if (wait_) {
      lock->unlock();
      wait_();
      lock->lock();
    }
    release_cache_locked();
    if (allocate_from_driver(size, &pointer)) return pointer;
  }
  refuse_request(requested);
}

void Allocator::refuse_request(size_t requested) const {
  size_t free_bytes = 0, total = 0;
  api_->mem_get_info(&free_bytes, &total);
  throw OutOfMemory(
      "allocator",
      base::text(
          "got a request for ", requested, " bytes (", megabytes(requested),
          "); the device has ", megabytes(free_bytes), " free of ", megabytes(total),
          ", ", megabytes(statistics_.allocated),
          " are in use by this process's arrays. Free arrays you no longer need, "
          "or use smaller batches."),
      CUDA_ERROR_OUT_OF_MEMORY);
}

CUevent Allocator::mark_end(CUstream stream) {
  CUevent event = nullptr;
  api_->check(api_->event_create(&event, CU_EVENT_DISABLE_TIMING), "allocator");
  const CUresult result = api_->event_record(event, stream);
  if (result != CUDA_SUCCESS) api_->event_destroy(event);
  api_->check(result, "allocator");
  return event;
}

void Allocator::order_after(CUstream earlier, CUstream later) {
  const Bookkeeping own(*api_);
  const CUevent event = mark_end(earlier);
  const CUresult result = api_->stream_wait_event(later, event, 0);
  api_->event_destroy(event);  // lives on until the wait is over
  api_->check(result, "allocator");
}

void Allocator::free(CUdeviceptr pointer) {
  if (api_->inherited() || generation_ != api_->generation()) return;
  const std::lock_guard lock(mutex_);
  const auto found = live_.find(pointer);
  if (found == live_.end())
    throw base::ValueError("allocator",
                           base::text("got the pointer 0x", std::hex, pointer,
                                      "; need the start of a live allocation."));
  Block block = std::move(found->second);
  live_.erase(found);
  statistics_.allocated -= block.requested;
  statistics_.live_blocks -= 1;
  tell(pointer, -static_cast<int64_t>(block.requested));
  api_->make_current();
  give_back(std::move(block));
}

void Allocator::give_back(Block block) {
  if (!block.graphs.empty()) {
    pools_[block.graphs.back()].kept.push_back(std::move(block));
  } else if (block.pool != 0) {
    pools_[block.pool].free.push_back(std::move(block));
  } else if (captures_ > 0) {
    unordered_.push_back(std::move(block));
  } else {
    share(std::move(block));
  }
}

void Allocator::share(Block block) {
  try {
    for (CUstream stream : block.also_on) order_after(stream, block.stream);
    if (api_->inspect_mark_freed)
      api_->check(api_->inspect_mark_freed(block.pointer, block.stream), "allocator");
  } catch (const CudaError&) {
    // After a fault, which also drops the work that was to be waited for.
    block.also_on.clear();
    keep(std::move(block));
    throw;
  }
  block.also_on.clear();
  keep(std::move(block));
}

bool Allocator::find(CUdeviceptr pointer, CUdeviceptr* base, size_t* bytes) const {
  const std::lock_guard lock(mutex_);
  auto found = live_.upper_bound(pointer);
  if (found == live_.begin()) return false;
  --found;
  // A pointer to the end of an array (an empty slice) still belongs to it.
  if (pointer - found->first > found->second.requested) return false;
  *base = found->first;
  *bytes = found->second.requested;
  return true;
}

bool Allocator::used_on(CUdeviceptr pointer, CUstream stream, uint64_t pool) {
  const std::lock_guard lock(mutex_);
  auto found = live_.upper_bound(pointer);
  if (found == live_.begin()) return false;
  Block& block = (--found)->second;
  if (pointer - block.pointer > block.requested) return false;
  if (pool == 0 || pool == block.pool) {
    if (stream != block.stream) add_once(block.also_on, stream);
  } else {
    add_once(block.graphs, pool);
  }
  return true;
}

uint64_t Allocator::new_pool() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

void Allocator::capture_begins(uint64_t number, CUstream stream) {
  const std::lock_guard lock(mutex_);
  api_->make_current();
  const bool alone = captures_ == 0;  // else an order could become part of a graph
  std::vector<CUstream> users;
  if (alone)
    for (const auto& [size, blocks] : cached_)
      for (const Block& block : blocks) add_once(users, block.stream);
  for (CUstream user : users)
    if (user != stream) order_after(user, stream);
  captures_ += 1;
  Pool& pool = pools_[number];
  pool.graphs += 1;
  pool.takes_freed = alone;
}

void Allocator::capture_ends() {
  const std::lock_guard lock(mutex_);
  captures_ -= 1;
  if (captures_ > 0 || !api_->reachable(generation_)) return;
  const Bookkeeping own(*api_);
  for (const CUevent event : std::exchange(gone_, {})) {
    api_->stream_wait_event(nullptr, event, 0);
    api_->event_destroy(event);
  }
  for (Block& block : std::exchange(unordered_, {})) {
    try {
      give_back(std::move(block));
    } catch (const CudaError&) {
      // After a fault, which also drops the work that was to be waited for.
    }
  }
}

void Allocator::replayed_on(uint64_t pool, CUstream stream) {
  const std::lock_guard lock(mutex_);
  add_once(pools_[pool].streams, stream);
}

void Allocator::forget_pool(Block& block, uint64_t pool,
                            const std::vector<CUstream>& streams) {
  const bool used = std::erase(block.graphs, pool) > 0;
  if (!used && block.pool != pool) return;
  if (block.pool == pool) {
    // Nothing ever ran on the stream of the capture.
    block.pool = 0;
    block.stream = streams.size() == 1 ? streams.front() : nullptr;
  }
  for (CUstream stream : streams) add_once(block.also_on, stream);
  std::erase(block.also_on, block.stream);
}

void Allocator::graph_gone(uint64_t pool) {
  if (!api_->reachable(generation_)) return;
  const std::lock_guard lock(mutex_);
  const auto found = pools_.find(pool);
  if (found == pools_.end() || --found->second.graphs > 0) return;
  Pool gone = std::move(found->second);
  pools_.erase(found);
  for (auto& [pointer, block] : live_) forget_pool(block, pool, gone.streams);
  for (auto& [number, other] : pools_)
    for (std::list<Block>* blocks : {&other.free, &other.kept})
      for (Block& block : *blocks) forget_pool(block, pool, gone.streams);
  gone.free.splice(gone.free.end(), gone.kept);
  for (Block& block : gone.free) {
    forget_pool(block, pool, gone.streams);
    try {
      give_back(std::move(block));
    } catch (const CudaError&) {
      // After a fault, which also drops the work that was to be waited for.
    }
  }
}

void Allocator::stream_gone(CUstream stream) {
  const std::lock_guard lock(mutex_);
  const Bookkeeping own(*api_);
  try {
    if (captures_ > 0)
      gone_.push_back(mark_end(stream));
    else if (api_->stream_query(stream) == CUDA_ERROR_NOT_READY)
      order_after(stream, nullptr);
  } catch (const CudaError&) {
    // After a fault, which also drops the stream's work.
  }
  const auto forget = [stream](Block& block) {
    if (block.stream == stream) block.stream = nullptr;
    std::replace(block.also_on.begin(), block.also_on.end(), stream, CUstream{});
  };
  for (auto& [size, blocks] : cached_)
    std::for_each(blocks.begin(), blocks.end(), forget);
  for (auto& [pointer, block] : live_) forget(block);
  std::for_each(unordered_.begin(), unordered_.end(), forget);
  for (auto& [number, pool] : pools_) {
    std::replace(pool.streams.begin(), pool.streams.end(), stream, CUstream{});
    std::for_each(pool.free.begin(), pool.free.end(), forget);
    std::for_each(pool.kept.begin(), pool.kept.end(), forget);
  }
}

void Allocator::release_cache() {
  if (wait_) wait_();
  const std::lock_guard lock(mutex_);
  release_cache_locked();
}

void Allocator::release_cache_locked() {
  api_->make_current();
  const CaptureTolerated tolerated(*api_);
  for (auto& [size, blocks] : cached_)
    for (const Block& block : blocks) {
      api_->mem_free(block.pointer);
      statistics_.reserved -= block.size;
    }
  cached_.clear();
  cached_bytes_ = 0;
}

void Allocator::tell(CUdeviceptr pointer, int64_t bytes) const {
  base::tell_memory(
      {pointer, bytes, true, statistics_.allocated, statistics_.reserved});
}

MemoryStatistics Allocator::statistics() const {
  const std::lock_guard lock(mutex_);
  return statistics_;
}

}  // namespace minitorch::cuda_client
