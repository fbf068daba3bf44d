// How functions of the device runtime see their arguments and memory.
#pragma once

#include <string>
#include <string_view>

#include "base/text.h"
#include "simt/warp/context.h"

namespace minitorch::simt {

/// Whether calls of `name` work although no PTX defines it.
bool is_device_function(std::string_view name);

/// The 8 bytes at `offset` of the arguments of the call that is being executed.
uint64_t argument(const Context& context, uint32_t lane, uint32_t offset);
void set_result(Context& context, uint32_t lane, uint64_t value);

/// Copies `size` bytes from a generic address; false when they may not be read.
bool read_bytes(const Context& context, uint32_t lane, uint64_t address, void* to,
                uint32_t size);
/// The zero-terminated text at a generic address, as far as it may be read.
std::string device_string(const Context& context, uint32_t lane, uint64_t address);

/// Each memory step looks its allocation up again: free() may have ended one.
void forget_hits(Context& context);

}  // namespace minitorch::simt
