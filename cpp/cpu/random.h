// The counter-based random numbers: the same for a seed on every machine and with any
// number of threads.
#pragma once

#include <array>
#include <cstdint>

namespace minitorch::cpu {

/// Block `counter` of the stream `seed`: Philox 4x32-10 of Salmon et al., "Parallel
/// random numbers: as easy as 1, 2, 3" (2011).
std::array<uint32_t, 4> philox(uint64_t seed, uint64_t counter);

/// Two doubles in [0, 1) of 53 bits come from each block.
constexpr int64_t kPerBlock = 2;

/// out[i] uniform in [0, 1), from the blocks `first`, first + 1, …
void fill_uniform(uint64_t seed, uint64_t first, double* out, int64_t count);

/// out[i] normal with mean 0 and variance 1, by Box and Muller, from the same blocks.
void fill_normal(uint64_t seed, uint64_t first, double* out, int64_t count);

}  // namespace minitorch::cpu
