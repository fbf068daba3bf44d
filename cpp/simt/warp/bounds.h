// What an access may touch, by the variable or parameter that its address is derived
// from.
#pragma once

#include "simt/memory/memory_form.h"
#include "simt/warp/context.h"

namespace minitorch::simt {

/// Bytes of shared memory: those of one variable, or all of the block's.
AllocationHit shared_bounds(const Context& context, const MemoryForm& form);

/// The allocation that holds `address`, live or freed, or nullptr. What kernels get by
/// malloc changes while the launch runs: its description is copied to `room`.
const Allocation* find_allocation(const Context& context, uint64_t address,
                                  Allocation& room);

/// The allocation that an access of global memory was meant for, or nullptr if that is
/// not known.
const Allocation* meant_allocation(const LaunchState& launch,
                                   const AllocationTable& table,
                                   const MemoryForm& form);

/// Whether the two are one piece of memory: nothing lies between them.
bool adjoin(const Context& context, const Allocation& a, const Allocation& b);

}  // namespace minitorch::simt
