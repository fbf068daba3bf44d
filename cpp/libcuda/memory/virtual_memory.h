// Virtual memory: ranges of addresses, the memory that they show, and who may use it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "cuda_abi/memory_types.h"
#include "simt/memory/memory.h"

namespace minitorch::libcuda {
using namespace simt;  // the engine's contract

/// All functions throw Failure for what the driver refuses.
class VirtualMemory {
 public:
  using Handle = CUmemGenericAllocationHandle;

  explicit VirtualMemory(Memory& memory) : memory_(memory) {}

  uint64_t reserve(uint64_t size, uint64_t alignment);
  /// Fails while anything is mapped there.
  void free(uint64_t base, uint64_t size);

  Handle create(uint64_t size, const CUmemAllocationProp& properties);
  /// One more reference for the memory seen at `address`.
  Handle retain(uint64_t address);
  /// The memory lives on while it is mapped anywhere.
  void release(Handle handle);
  CUmemAllocationProp properties(Handle handle);

  void map(uint64_t address, uint64_t size, Handle handle);
  // What is unmapped, or gets another access, are whole mappings without a gap.
  void unmap(uint64_t address, uint64_t size);
  void set_access(uint64_t address, uint64_t size, int flags);
  int access(uint64_t address);

 private:
  struct Physical;
  struct Mapping {
    uint64_t size = 0;
    std::shared_ptr<Physical> physical;
    int access = CU_MEM_ACCESS_FLAGS_PROT_NONE;
  };
  using Mappings = std::map<uint64_t, Mapping>;  // by base
  struct Range {
    uint64_t size = 0;
    Mappings mappings;
  };
  using Ranges = std::map<uint64_t, Range>;  // by base

  Ranges::iterator range_of(uint64_t address, uint64_t size);
  Mappings::iterator mapping_at(Range& range, uint64_t address);
  const Mapping& mapping_of(uint64_t address);
  std::shared_ptr<Physical> physical_of(Handle handle);
  /// The first mapping of [address, address + size), which whole mappings fill.
  Mappings::iterator whole_mappings(Range& range, uint64_t address, uint64_t size);
  void tell_reach(const Ranges::value_type& range);

  Memory& memory_;
  std::mutex mutex_;
  Ranges ranges_;
  std::map<Handle, std::shared_ptr<Physical>> handles_;  // those with references
};

}  // namespace minitorch::libcuda
