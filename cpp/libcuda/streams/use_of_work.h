// Which memory a piece of work uses, for the search for races between operations.
#pragma once

#include <memory>

#include "libcuda/contexts/context.h"
#include "libcuda/memory/copies.h"
#include "libcuda/streams/memory_use.h"

namespace minitorch::libcuda {

/// What the work will use; null where nobody looks. `in_graph`: other nodes may be
/// unordered with it.
std::shared_ptr<MemoryUse> use_of(const CopyWork& copy, const Stream& stream,
                                  bool in_graph = false);
std::shared_ptr<MemoryUse> use_of(const FillWork& fill, const Stream& stream,
                                  bool in_graph = false);
/// For a launch with these checks; what it touches is known at its end.
std::shared_ptr<MemoryUse> use_of(const ptx::Function& kernel, const Stream& stream,
                                  bool in_graph, uint32_t checks);

}  // namespace minitorch::libcuda
