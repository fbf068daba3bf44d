// The question whether a loaded value is only copied: then bytes that nobody wrote
// (padding of a struct, the fourth float of a float3 in 16 bytes) do no harm.
#pragma once

#include "ptx/program.h"

namespace minitorch::simt {

/// Whether `reg`, and what is moved from it, is read by moves and as stored value only.
bool is_only_copied(const ptx::Function& function, uint32_t reg);

}  // namespace minitorch::simt
