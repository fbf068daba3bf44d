#include "libcuda/memory/virtual_memory.h"

#include <vector>

#include "libcuda/contexts/failure.h"
#include "libcuda/contexts/handles.h"

namespace minitorch::libcuda {
namespace {

constexpr uint64_t kUnit = Memory::kMapUnit;

void check_units(uint64_t value, const char* what) {
  require(value % kUnit == 0, CUDA_ERROR_INVALID_VALUE, "got ", value, " as ", what,
          "; need a multiple of ", kUnit, " (cuMemGetAllocationGranularity).");
}

void check_span(uint64_t address, uint64_t size) {
  check_units(address, "an address");
  check_units(size, "a size");
  require(size > 0 && address + size > address, CUDA_ERROR_INVALID_VALUE, "got ", size,
          " bytes at 0x", std::hex, address, "; need at least one unit.");
}

}  // namespace

/// What cuMemCreate made.
struct VirtualMemory::Physical {
  Physical(Memory& memory, Handle handle, uint64_t size,
           const CUmemAllocationProp& properties)
      : memory(memory), handle(handle), properties(properties), pages(size) {}
  ~Physical() { memory.discount(pages.bytes); }
  Physical(const Physical&) = delete;
  Physical& operator=(const Physical&) = delete;

  Memory& memory;
  const Handle handle;
  const CUmemAllocationProp properties;
  const SharedPages pages;
  int references = 1;
};

VirtualMemory::Ranges::iterator VirtualMemory::range_of(uint64_t address,
                                                        uint64_t size) {
  auto range = ranges_.upper_bound(address);
  const bool before = range != ranges_.begin();
  if (before) --range;
  const uint64_t at = before ? address - range->first : 0;
  require(before && size <= range->second.size && at <= range->second.size - size,
          CUDA_ERROR_INVALID_VALUE, "got ", size, " bytes at 0x", std::hex, address,
          "; need a part of one range of cuMemAddressReserve.");
  return range;
}

VirtualMemory::Mappings::iterator VirtualMemory::mapping_at(Range& range,
                                                            uint64_t address) {
  auto mapping = range.mappings.upper_bound(address);
  if (mapping == range.mappings.begin()) return range.mappings.end();
  --mapping;
  return address - mapping->first < mapping->second.size ? mapping
                                                         : range.mappings.end();
}

const VirtualMemory::Mapping& VirtualMemory::mapping_of(uint64_t address) {
  Range& range = range_of(address, 1)->second;
  const auto mapping = mapping_at(range, address);
  require(mapping != range.mappings.end(), CUDA_ERROR_INVALID_VALUE, "got 0x", std::hex,
          address, ", where nothing is mapped; need cuMemMap first.");
  return mapping->second;
}

std::shared_ptr<VirtualMemory::Physical> VirtualMemory::physical_of(Handle handle) {
  const auto found = handles_.find(handle);
  require(found != handles_.end(), CUDA_ERROR_INVALID_VALUE,
          "got a handle that is no live memory of cuMemCreate.");
  return found->second;
}

VirtualMemory::Mappings::iterator VirtualMemory::whole_mappings(Range& range,
                                                                uint64_t address,
                                                                uint64_t size) {
  const auto first = range.mappings.find(address);
  uint64_t end = address;
  for (auto at = first; at != range.mappings.end() && at->first == end; ++at) {
    if (end - address >= size) break;
    end += at->second.size;
  }
  require(end - address == size, CUDA_ERROR_INVALID_VALUE, "got ", size, " bytes at 0x",
          std::hex, address, "; need whole mappings without a gap between them.");
  return first;
}

uint64_t VirtualMemory::reserve(uint64_t size, uint64_t alignment) {
  check_span(0, size);
  require((alignment & (alignment - 1)) == 0, CUDA_ERROR_INVALID_VALUE,
          "got an alignment of ", alignment, "; need 0 or a power of two.");
  const uint64_t base = memory_.reserve_range(size, alignment);
  require(base != 0, CUDA_ERROR_OUT_OF_MEMORY, "got a range of ", size,
          " bytes; need less.");
  std::lock_guard lock(mutex_);
  ranges_[base].size = size;
  return base;
}

void VirtualMemory::free(uint64_t base, uint64_t size) {
  std::lock_guard lock(mutex_);
  const auto range = ranges_.find(base);
  require(range != ranges_.end() && range->second.size == size,
          CUDA_ERROR_INVALID_VALUE, "got ", size, " bytes at 0x", std::hex, base,
          "; need address and size as cuMemAddressReserve had them.");
  require(range->second.mappings.empty(), CUDA_ERROR_INVALID_VALUE, "got a range with ",
          range->second.mappings.size(), " mappings; need cuMemUnmap first.");
  ranges_.erase(range);
  memory_.give_range_back(base, size);
}

VirtualMemory::Handle VirtualMemory::create(uint64_t size,
                                            const CUmemAllocationProp& properties) {
  check_span(0, size);
  require(memory_.count(size), CUDA_ERROR_OUT_OF_MEMORY, "got a request for ", size,
          " bytes; need at most ", memory_.capacity() - memory_.used(), ".");
  const auto handle = static_cast<Handle>(new_handle_value());
  std::shared_ptr<Physical> made;
  try {
    made = std::make_shared<Physical>(memory_, handle, size, properties);
  } catch (...) {
    memory_.discount(size);
    throw;
  }
  std::lock_guard lock(mutex_);
  handles_.emplace(handle, std::move(made));
  return handle;
}

VirtualMemory::Handle VirtualMemory::retain(uint64_t address) {
  std::lock_guard lock(mutex_);
  const auto& physical = mapping_of(address).physical;
  ++physical->references;
  handles_.emplace(physical->handle, physical);
  return physical->handle;
}

void VirtualMemory::release(Handle handle) {
  std::lock_guard lock(mutex_);
  const auto physical = physical_of(handle);
  if (--physical->references == 0) handles_.erase(handle);
}

CUmemAllocationProp VirtualMemory::properties(Handle handle) {
  std::lock_guard lock(mutex_);
  return physical_of(handle)->properties;
}

void VirtualMemory::map(uint64_t address, uint64_t size, Handle handle) {
  check_span(address, size);
  std::lock_guard lock(mutex_);
  const auto physical = physical_of(handle);
  require(size <= physical->pages.bytes, CUDA_ERROR_INVALID_VALUE, "got ", size,
          " bytes to map; need at most the ", physical->pages.bytes, " of the handle.");
  const auto range = range_of(address, size);
  Mappings& mappings = range->second.mappings;
  const auto next = mappings.lower_bound(address);
  const bool free = mapping_at(range->second, address) == mappings.end() &&
                    (next == mappings.end() || next->first - address >= size);
  require(free, CUDA_ERROR_INVALID_VALUE, "got ", size, " bytes at 0x", std::hex,
          address, ", where something is mapped; need cuMemUnmap first.");
  require(memory_.show(address, physical->pages, size), CUDA_ERROR_OUT_OF_MEMORY,
          "the system refused to map ", size, " bytes.");
  mappings[address] = {size, physical, CU_MEM_ACCESS_FLAGS_PROT_NONE};
}

void VirtualMemory::unmap(uint64_t address, uint64_t size) {
  check_span(address, size);
  std::lock_guard lock(mutex_);
  const auto range = range_of(address, size);
  Mappings& mappings = range->second.mappings;
  const auto first = whole_mappings(range->second, address, size);
  mappings.erase(first, mappings.lower_bound(address + size));
  tell_reach(*range);
  memory_.hide(address, size);
}

void VirtualMemory::set_access(uint64_t address, uint64_t size, int flags) {
  check_span(address, size);
  std::lock_guard lock(mutex_);
  const auto range = range_of(address, size);
  const auto end = range->second.mappings.lower_bound(address + size);
  for (auto at = whole_mappings(range->second, address, size); at != end; ++at) {
    at->second.access = flags;
  }
  tell_reach(*range);
}

int VirtualMemory::access(uint64_t address) {
  std::lock_guard lock(mutex_);
  return mapping_of(address).access;
}

/// An array may lie across mappings that follow each other: they are one piece.
void VirtualMemory::tell_reach(const Ranges::value_type& range) {
  std::vector<Memory::Piece> pieces;
  for (const auto& [base, mapping] : range.second.mappings) {
    if (mapping.access == CU_MEM_ACCESS_FLAGS_PROT_NONE) continue;
    const bool writable = mapping.access == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    const bool follows = !pieces.empty() && pieces.back().writable == writable &&
                         pieces.back().base + pieces.back().size == base;
    if (follows) {
      pieces.back().size += mapping.size;
    } else {
      pieces.push_back({base, mapping.size, writable});
    }
  }
  memory_.set_reach(range.first, range.second.size, pieces);
}

}  // namespace minitorch::libcuda
