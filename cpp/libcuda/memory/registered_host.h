// Host memory that clients have registered: is it pinned, and the way of kernels to it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace minitorch::libcuda {

/// The registered range that holds `address`, mapped from now on: the address for
/// kernels, or 0 where none holds it.
uint64_t map_registered(uint64_t address);
/// All mapped ranges agree with the host; around whatever uses device memory.
void agree_with_host();

/// Host memory that stays where it is until the client frees or unregisters it.
bool is_pinned(uint64_t address, size_t bytes);

}  // namespace minitorch::libcuda
