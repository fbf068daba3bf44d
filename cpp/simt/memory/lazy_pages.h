// Large memory of the checks, of which a launch touches a small part.
#pragma once

#include <cstdint>

namespace minitorch::simt {

/// Zeros that take memory when they are first written; give them back by munmap.
/// `purpose` is for the message. Raises: base::MemoryError where the process may not
/// have so many bytes, since a check that finds nothing for want of room would lie.
void* map_lazily(uint64_t bytes, const char* purpose);

}  // namespace minitorch::simt
