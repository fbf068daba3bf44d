// Owns the allocator's bookkeeping and the order of reuse. Must not know what the bytes
// mean.
#include "cuda_client/allocator.h"

#include <algorithm>
#include <bit>

#include "base/memory_watch.h"
#include "base/text.h"

namespace minitorch::cuda_client {
namespace {

constexpr size_t kGranule = 512;
constexpr int kStepsPerDoubling = 4;

std::string megabytes(uint64_t bytes) {
  const uint64_t tenths = bytes / ((uint64_t{1} << 20) / 10);
  return base::text(tenths / 10, ".", tenths % 10, " MiB");
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
  try {
    release_cache_locked();
  } catch (const base::Error&) {
    // A context that is gone has given everything back itself.
  }
}

CUdeviceptr Allocator::allocate(size_t bytes, CUstream stream) {
  std::unique_lock lock(mutex_);
  api_->make_current();
  Block block;
  const size_t size = block_size(bytes);
  if (!take_own(size, stream, &block)) {
    block.size = size;
    if (!allocate_from_driver(size, &block.pointer) &&
        !take_any(size, stream, &block)) {
      block.pointer = allocate_after_release(size, bytes, &lock);
    }
  }
  block.stream = stream;
  block.requested = bytes;
  if (api_->inspect_set_extent) {
    const CUresult result = api_->inspect_set_extent(block.pointer, bytes, stream);
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

bool Allocator::take_own(size_t size, CUstream stream, Block* block) {
  const auto found = cached_.find(size);
  if (found == cached_.end()) return false;
  std::list<Block>& blocks = found->second;
  const bool quarantined = api_->emulated() && cached_bytes_ < kQuarantineBytes &&
                           blocks.size() < kQuarantineBlocks;
  if (quarantined) return false;
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

bool Allocator::allocate_from_driver(size_t size, CUdeviceptr* pointer) {
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
  if (cached_bytes_ > 0) {
    if (wait_) {
      lock->unlock();
      wait_();
      lock->lock();
    }
    release_cache_locked();
    if (allocate_from_driver(size, &pointer)) return pointer;
  }
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

void Allocator::order_after(CUstream earlier, CUstream later) {
  CUevent event = nullptr;
  api_->check(api_->event_create(&event, CU_EVENT_DISABLE_TIMING), "allocator");
  CUresult result = api_->event_record(event, earlier);
  if (result == CUDA_SUCCESS) result = api_->stream_wait_event(later, event, 0);
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

bool Allocator::used_on(CUdeviceptr pointer, CUstream stream) {
  const std::lock_guard lock(mutex_);
  auto found = live_.upper_bound(pointer);
  if (found == live_.begin()) return false;
  Block& block = (--found)->second;
  if (pointer - block.pointer > block.requested) return false;
  std::vector<CUstream>& others = block.also_on;
  if (stream != block.stream &&
      std::find(others.begin(), others.end(), stream) == others.end())
    others.push_back(stream);
  return true;
}

void Allocator::stream_gone(CUstream stream) {
  const std::lock_guard lock(mutex_);
  try {
    if (api_->stream_query(stream) == CUDA_ERROR_NOT_READY)
      order_after(stream, nullptr);
  } catch (const CudaError&) {
    // After a fault, which also drops the stream's work.
  }
  for (auto& [size, blocks] : cached_)
    for (Block& block : blocks)
      if (block.stream == stream) block.stream = nullptr;
  for (auto& [pointer, block] : live_) {
    if (block.stream == stream) block.stream = nullptr;
    std::replace(block.also_on.begin(), block.also_on.end(), stream, CUstream{});
  }
}

void Allocator::release_cache() {
  if (wait_) wait_();
  const std::lock_guard lock(mutex_);
  release_cache_locked();
}

void Allocator::release_cache_locked() {
  api_->make_current();
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
