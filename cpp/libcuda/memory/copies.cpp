#include "libcuda/memory/copies.h"

#include <algorithm>
#include <cstring>

#include "libcuda/contexts/process.h"

namespace minitorch::libcuda {
namespace {

void check_holds(uint64_t address, size_t bytes, const char* what) {
  require(device_memory().holds(address, bytes), CUDA_ERROR_INVALID_VALUE, "got ",
          bytes, " bytes at ", what, " 0x", std::hex, address,
          "; need a range inside one live allocation.");
}

void check_live(uint64_t address, size_t bytes, const char* what) {
  const auto table = device_memory().table();
  const Allocation* found = table->find(address);
  require(found != nullptr && found->live && address + bytes <= found->end(),
          CUDA_ERROR_INVALID_VALUE, "got ", bytes, " bytes at ", what, " 0x", std::hex,
          address, "; need a range inside one live allocation.");
}

/// One end as the 2-D and 3-D structures state it.
struct StatedEnd {
  const char* name;
  CUmemorytype type;
  const void* host;
  CUdeviceptr device;
  size_t x, y, z, pitch, rows;
};

CopyEnd read_end(const StatedEnd& stated, size_t width, size_t height, size_t depth) {
  require(stated.type != CU_MEMORYTYPE_ARRAY, CUDA_ERROR_NOT_SUPPORTED, "the ",
          stated.name, " is an array, which the emulator does not offer.");
  require(stated.type >= CU_MEMORYTYPE_HOST && stated.type <= CU_MEMORYTYPE_UNIFIED,
          CUDA_ERROR_INVALID_VALUE, "got memory type ", stated.type, " for the ",
          stated.name, "; need CU_MEMORYTYPE_HOST, _DEVICE or _UNIFIED.");
  const bool one_row = height <= 1 && depth <= 1 && stated.y == 0 && stated.z == 0;
  require(one_row || stated.pitch >= stated.x + width, CUDA_ERROR_INVALID_VALUE,
          "got a pitch of ", stated.pitch, " bytes for the ", stated.name,
          "; need at least ", stated.x + width, ".");
  const bool one_slice = depth <= 1 && stated.z == 0;
  require(one_slice || stated.rows >= stated.y + height, CUDA_ERROR_INVALID_VALUE,
          "got a height of ", stated.rows, " rows for the ", stated.name,
          "; need at least ", stated.y + height, ".");
  CopyEnd end;
  const bool host = stated.type == CU_MEMORYTYPE_HOST;
  end.address = host ? reinterpret_cast<uint64_t>(stated.host) : stated.device;
  end.device =
      stated.type == CU_MEMORYTYPE_DEVICE ||
      (stated.type == CU_MEMORYTYPE_UNIFIED && device_memory().contains(end.address));
  end.pitch = stated.pitch;
  end.slice = stated.pitch * stated.rows;
  end.address += stated.z * end.slice + stated.y * end.pitch + stated.x;
  return end;
}

/// The 3-D structures differ in members that are not read here.
template <class Wanted>
CopyWork read_3d(const Wanted& wanted) {
  CopyWork copy;
  copy.width = wanted.WidthInBytes;
  copy.height = wanted.Height;
  copy.depth = wanted.Depth;
  copy.from = read_end(
      {"source", wanted.srcMemoryType, wanted.srcHost, wanted.srcDevice,
       wanted.srcXInBytes, wanted.srcY, wanted.srcZ, wanted.srcPitch, wanted.srcHeight},
      copy.width, copy.height, copy.depth);
  copy.to = read_end(
      {"destination", wanted.dstMemoryType, wanted.dstHost, wanted.dstDevice,
       wanted.dstXInBytes, wanted.dstY, wanted.dstZ, wanted.dstPitch, wanted.dstHeight},
      copy.width, copy.height, copy.depth);
  return copy;
}

template <class Visit>
void each_row(const CopyWork& copy, Visit visit) {
  for (size_t z = 0; z < copy.depth; ++z) {
    for (size_t y = 0; y < copy.height; ++y) {
      visit(copy.to.address + z * copy.to.slice + y * copy.to.pitch,
            copy.from.address + z * copy.from.slice + y * copy.from.pitch);
    }
  }
}

template <class Element>
void fill_row(uint64_t address, size_t count, uint32_t value) {
  std::fill_n(reinterpret_cast<Element*>(address), count, static_cast<Element>(value));
}

size_t extent_of(const FillWork& fill) {
  return (fill.height - 1) * fill.pitch + fill.width * fill.element;
}

}  // namespace

size_t CopyWork::extent(const CopyEnd& end) const {
  return (depth - 1) * end.slice + (height - 1) * end.pitch + width;
}

MtOperationKind kind_of(const CopyWork& copy) {
  if (!copy.to.device) return MtOperation_CopyToHost;
  return copy.from.device ? MtOperation_CopyOnDevice : MtOperation_CopyFromHost;
}

CopyWork copy_of_device(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return {{to, 0, 0, true}, {from, 0, 0, true}, bytes};
}

CopyWork copy_to_device(CUdeviceptr to, const void* from, size_t bytes) {
  return {{to, 0, 0, true}, {reinterpret_cast<uint64_t>(from), 0, 0, false}, bytes};
}

CopyWork copy_to_host(void* to, CUdeviceptr from, size_t bytes) {
  return {{reinterpret_cast<uint64_t>(to), 0, 0, false}, {from, 0, 0, true}, bytes};
}

CopyWork unified_copy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return {{to, 0, 0, device_memory().contains(to)},
          {from, 0, 0, device_memory().contains(from)},
          bytes};
}

CopyWork copy_of(const CUDA_MEMCPY2D& wanted) {
  CopyWork copy;
  copy.width = wanted.WidthInBytes;
  copy.height = wanted.Height;
  copy.from =
      read_end({"source", wanted.srcMemoryType, wanted.srcHost, wanted.srcDevice,
                wanted.srcXInBytes, wanted.srcY, 0, wanted.srcPitch, 0},
               copy.width, copy.height, 1);
  copy.to =
      read_end({"destination", wanted.dstMemoryType, wanted.dstHost, wanted.dstDevice,
                wanted.dstXInBytes, wanted.dstY, 0, wanted.dstPitch, 0},
               copy.width, copy.height, 1);
  return copy;
}

CopyWork copy_of(const CUDA_MEMCPY3D& wanted) { return read_3d(wanted); }

CopyWork copy_of(const CUDA_MEMCPY3D_PEER& wanted) { return read_3d(wanted); }

bool memory_of_host(uint64_t address) {
  const auto table = device_memory().table();
  const Allocation* found = table->find(address);
  return found != nullptr && found->kind == Allocation::Kind::Host;
}

void check_ranges(const CopyWork& copy) {
  // Sizes that no allocation has would overflow below.
  const size_t most = device_memory().arena_size();
  for (const CopyEnd* end : {&copy.to, &copy.from}) {
    require(copy.width <= most && copy.height <= most && copy.depth <= most &&
                end->pitch <= most / std::max<size_t>(copy.height, 1) &&
                end->slice <= most / std::max<size_t>(copy.depth, 1),
            CUDA_ERROR_INVALID_VALUE, "got a copy of ", copy.width, " x ", copy.height,
            " x ", copy.depth, " bytes; need a range inside one live allocation.");
  }
  if (copy.to.device) check_holds(copy.to.address, copy.extent(copy.to), "destination");
  if (copy.from.device) {
    check_holds(copy.from.address, copy.extent(copy.from), "source");
  }
  require(copy.to.address != 0 && copy.from.address != 0, CUDA_ERROR_INVALID_VALUE,
          "got null for a host pointer; need memory.");
}

void check_extents(const CopyWork& copy) {
  if (copy.to.device) check_live(copy.to.address, copy.extent(copy.to), "destination");
  if (copy.from.device) check_live(copy.from.address, copy.extent(copy.from), "source");
}

void perform(const CopyWork& copy) {
  const bool brings_bits = copy.from.device && !memory_of_host(copy.to.address);
  each_row(copy, [&](uint64_t to, uint64_t from) {
    std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from),
                 copy.width);
    if (!copy.to.device) return;
    if (brings_bits) {
      device_memory().copy_bits(to, from, copy.width);
    } else {
      device_memory().mark_written(to, copy.width);
    }
  });
}

void forget(const CopyWork& copy) {
  if (!copy.to.device || memory_of_host(copy.to.address)) return;
  each_row(copy, [&](uint64_t to, uint64_t) {
    device_memory().mark_undefined(to, copy.width);
  });
}

void check(const FillWork& fill) {
  const size_t row = fill.width * fill.element, most = device_memory().arena_size();
  require(fill.element == 1 || fill.element == 2 || fill.element == 4,
          CUDA_ERROR_INVALID_VALUE, "got elements of ", fill.element,
          " bytes; need 1, 2 or 4.");
  require(fill.address % fill.element == 0, CUDA_ERROR_INVALID_VALUE, "got 0x",
          std::hex, fill.address, "; need an address that is a multiple of ",
          fill.element, ".");
  if (fill.empty()) return;
  require(fill.height == 1 || (fill.pitch % fill.element == 0 && fill.pitch >= row),
          CUDA_ERROR_INVALID_VALUE, "got a pitch of ", fill.pitch,
          " bytes; need a multiple of ", fill.element, ", at least ", row, ".");
  require(fill.width <= most && fill.height <= most && fill.pitch <= most / fill.height,
          CUDA_ERROR_INVALID_VALUE, "got ", fill.width, " x ", fill.height,
          " elements; need a range inside one live allocation.");
  check_holds(fill.address, extent_of(fill), "destination");
}

void perform(const FillWork& fill) {
  for (size_t y = 0; y < fill.height; ++y) {
    const uint64_t row = fill.address + y * fill.pitch;
    if (fill.element == 1) fill_row<uint8_t>(row, fill.width, fill.value);
    if (fill.element == 2) fill_row<uint16_t>(row, fill.width, fill.value);
    if (fill.element == 4) fill_row<uint32_t>(row, fill.width, fill.value);
    device_memory().mark_written(row, fill.width * fill.element);
  }
}

void forget(const FillWork& fill) {
  if (memory_of_host(fill.address)) return;
  for (size_t y = 0; y < fill.height; ++y) {
    device_memory().mark_undefined(fill.address + y * fill.pitch,
                                   fill.width * fill.element);
  }
}

}  // namespace minitorch::libcuda
