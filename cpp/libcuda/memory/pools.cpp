#include "libcuda/memory/pools.h"

#include <algorithm>
#include <cstring>

#include "libcuda/contexts/failure.h"

namespace minitorch::libcuda {
namespace {

template <class T>
void write(void* value, T what) {
  std::memcpy(value, &what, sizeof what);
}

template <class T>
T read(const void* value) {
  T what{};
  std::memcpy(&what, value, sizeof what);
  return what;
}

}  // namespace

bool Pool::take(uint64_t bytes) {
  std::lock_guard lock(mutex_);
  if (most != 0 && bytes > most - std::min(most, used_)) return false;
  used_ += bytes;
  used_high_ = std::max(used_high_, used_);
  reserved_high_ = std::max(reserved_high_, used_);
  return true;
}

void Pool::give(uint64_t bytes) {
  std::lock_guard lock(mutex_);
  used_ -= bytes;
}

void Pool::get(CUmemPool_attribute attribute, void* value) const {
  std::lock_guard lock(mutex_);
  switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
      return write(value, reuse_[attribute - 1]);
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      return write(value, threshold_);
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
      return write(value, used_);
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      return write(value, reserved_high_);
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      return write(value, used_high_);
    case CU_MEMPOOL_ATTR_ALLOCATION_TYPE:
      return write(value,
                   int{kind == PoolKind::Managed ? CU_MEM_ALLOCATION_TYPE_MANAGED
                                                 : CU_MEM_ALLOCATION_TYPE_PINNED});
    case CU_MEMPOOL_ATTR_LOCATION_TYPE:
      return write(value, int{kind == PoolKind::Host ? CU_MEM_LOCATION_TYPE_HOST
                                                     : CU_MEM_LOCATION_TYPE_DEVICE});
    case CU_MEMPOOL_ATTR_EXPORT_HANDLE_TYPES:
    case CU_MEMPOOL_ATTR_LOCATION_ID:
    case CU_MEMPOOL_ATTR_HW_DECOMPRESS_ENABLED:
      return write(value, 0);
    case CU_MEMPOOL_ATTR_MAX_POOL_SIZE:
      return write(value, most);
  }
  fail(CUDA_ERROR_INVALID_VALUE, "got pool attribute ", static_cast<int>(attribute),
       "; need one of CUmemPool_attribute.");
}

void Pool::set(CUmemPool_attribute attribute, const void* value) {
  std::lock_guard lock(mutex_);
  switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
      reuse_[attribute - 1] = read<int>(value) != 0;
      return;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      threshold_ = read<uint64_t>(value);
      return;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH: {
      require(read<uint64_t>(value) == 0, CUDA_ERROR_INVALID_VALUE, "got ",
              read<uint64_t>(value), " for a high-water mark; need 0, to reset it.");
      const bool used = attribute == CU_MEMPOOL_ATTR_USED_MEM_HIGH;
      (used ? used_high_ : reserved_high_) = used_;
      return;
    }
    default:
      fail(CUDA_ERROR_INVALID_VALUE, "got pool attribute ", static_cast<int>(attribute),
           "; need one that can be set.");
  }
}

}  // namespace minitorch::libcuda
