// The memory that nodes of graphs allocate: one address for as long as a graph names
// it, live from an allocating node to a free.
#pragma once

#include <memory>

#include "cuda_abi/work_types.h"
#include "libcuda/streams/stream_queues.h"

namespace minitorch::libcuda {

class GraphMemory {
 public:
  /// Throws Failure when there is no room.
  static std::shared_ptr<GraphMemory> create(uint64_t bytes);
  /// The one that begins at `address`, or null.
  static std::shared_ptr<GraphMemory> find(CUdeviceptr address);
  /// Bytes of all of them.
  static uint64_t total();

  GraphMemory(uint64_t address, uint64_t bytes) : address(address), bytes(bytes) {}
  ~GraphMemory();
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;

  /// In a stream's turn: never-written memory from now on; no memory from now on.
  void begin() const;
  void end() const;

  const uint64_t address, bytes;
};

/// A node that begins, or ends, the life of such memory.
struct AllocWork {
  std::shared_ptr<GraphMemory> memory;
};
struct FreeWork {
  std::shared_ptr<GraphMemory> memory;
};

}  // namespace minitorch::libcuda
