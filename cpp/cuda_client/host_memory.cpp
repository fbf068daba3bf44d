#include "cuda_client/host_memory.h"

#include <algorithm>

#include "cuda_abi/memory_types.h"
#include "cuda_client/graph.h"

namespace minitorch::cuda_client {
namespace {

constexpr const char* kHostMemory = "host memory";

// Flags of cuMemHostAlloc: the device has an address for it.
constexpr unsigned kMapped = 2;
constexpr unsigned kWriteCombined = 4;

}  // namespace

HostMemory::HostMemory(std::shared_ptr<Api> api, size_t bytes, Kind kind)
    : api_(std::move(api)),
      generation_(api_->generation()),
      bytes_(bytes),
      kind_(kind) {
  api_->make_current();
  const CaptureTolerated tolerated(*api_);
  const size_t taken = std::max<size_t>(bytes, 1);
  if (kind == Kind::Managed) {
    api_->check(api_->mem_alloc_managed(&pointer_, taken, CU_MEM_ATTACH_GLOBAL),
                kHostMemory);
    data_ = reinterpret_cast<void*>(pointer_);
    return;
  }
  const unsigned flags = kMapped | (kind == Kind::WriteCombined ? kWriteCombined : 0);
  api_->check(api_->mem_host_alloc(&data_, taken, flags), kHostMemory);
  api_->check(api_->mem_host_get_device_pointer(&pointer_, data_, 0), kHostMemory);
}

HostMemory::~HostMemory() {
  if (!api_->reachable(generation_)) return;
  const CaptureTolerated tolerated(*api_);
  if (kind_ == Kind::Managed) {
    api_->mem_free(pointer_);
  } else {
    api_->mem_free_host(data_);
  }
}

}  // namespace minitorch::cuda_client
