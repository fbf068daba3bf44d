#include "libcuda/graphs/graph_memory.h"

#include <map>
#include <mutex>

#include "libcuda/contexts/process.h"

namespace minitorch::libcuda {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<uint64_t, std::weak_ptr<GraphMemory>> by_address;
  uint64_t total = 0;
};

Registry& registry() {
  static Registry* const all = new Registry;
  return *all;
}

}  // namespace

std::shared_ptr<GraphMemory> GraphMemory::create(uint64_t bytes) {
  require(bytes > 0, CUDA_ERROR_INVALID_VALUE, "got 0 bytes; need at least 1.");
  Memory& memory = process().device.memory;
  const uint64_t address = memory.allocate(bytes);
  require(address != 0, CUDA_ERROR_OUT_OF_MEMORY, "got a request for ", bytes,
          " bytes; need at most ", memory.capacity() - memory.used(), ".");
  auto made = std::make_shared<GraphMemory>(address, bytes);
  made->end();  // until a launch begins it
  std::lock_guard lock(registry().mutex);
  registry().by_address[address] = made;
  registry().total += bytes;
  return made;
}

std::shared_ptr<GraphMemory> GraphMemory::find(CUdeviceptr address) {
  std::lock_guard lock(registry().mutex);
  const auto found = registry().by_address.find(address);
  return found == registry().by_address.end() ? nullptr : found->second.lock();
}

uint64_t GraphMemory::total() {
  std::lock_guard lock(registry().mutex);
  return registry().total;
}

GraphMemory::~GraphMemory() {
  {
    std::lock_guard lock(registry().mutex);
    registry().by_address.erase(address);
    registry().total -= bytes;
  }
  process().device.memory.release(address);
}

void GraphMemory::begin() const { process().device.memory.set_extent(address, bytes); }

void GraphMemory::end() const { process().device.memory.set_live(address, false); }

}  // namespace minitorch::libcuda
