// What a copy and a fill of memory are and do: rows and slices, the initialised bits,
// the checks of their ranges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda_abi/inspect.h"
#include "cuda_abi/memory_types.h"

namespace minitorch::libcuda {

/// One end of a copy: where its first byte lies, from row to row, from slice to slice.
struct CopyEnd {
  uint64_t address = 0;
  size_t pitch = 0, slice = 0;  // bytes
  bool device = false;          // in device memory: has bits, and a range to check
};

/// `depth` slices of `height` rows of `width` bytes.
struct CopyWork {
  CopyEnd to, from;
  size_t width = 0, height = 1, depth = 1;

  bool empty() const { return width == 0 || height == 0 || depth == 0; }
  size_t bytes() const { return width * height * depth; }
  /// Bytes from the first to the last one of an end.
  size_t extent(const CopyEnd& end) const;
};

/// To the host, where both ends are its memory.
MtOperationKind kind_of(const CopyWork& copy);

CopyWork copy_of_device(CUdeviceptr to, CUdeviceptr from, size_t bytes);
CopyWork copy_to_device(CUdeviceptr to, const void* from, size_t bytes);
CopyWork copy_to_host(void* to, CUdeviceptr from, size_t bytes);
/// Unified addresses: each end is what its address says.
CopyWork unified_copy(CUdeviceptr to, CUdeviceptr from, size_t bytes);
/// Throw Failure for arrays, unknown memory types and pitches that are too small.
CopyWork copy_of(const CUDA_MEMCPY2D& wanted);
CopyWork copy_of(const CUDA_MEMCPY3D& wanted);
CopyWork copy_of(const CUDA_MEMCPY3D_PEER& wanted);

/// Pinned and managed memory: what the host writes there is not seen, so that all of it
/// counts as written.
bool memory_of_host(uint64_t address);

/// Inside one allocation each, as far as can be said before earlier work is done.
void check_ranges(const CopyWork& copy);
/// The same with the extents of now, in the stream's turn.
void check_extents(const CopyWork& copy);
void perform(const CopyWork& copy);
/// After a cancel nobody knows what the destination holds.
void forget(const CopyWork& copy);

/// `height` rows of `width` elements of 1, 2 or 4 bytes, all of one value.
struct FillWork {
  uint64_t address = 0;
  size_t pitch = 0;  // bytes; of no meaning for one row
  uint32_t value = 0;
  uint32_t element = 1;  // bytes
  size_t width = 0, height = 1;
  bool in_call = false;  // by a function that names no stream

  bool empty() const { return width == 0 || height == 0; }
  size_t bytes() const { return width * height * element; }
};

/// Throws Failure for misaligned addresses and pitches, and for ranges.
void check(const FillWork& fill);
void perform(const FillWork& fill);
void forget(const FillWork& fill);

}  // namespace minitorch::libcuda
