// The conversion of contiguous rows between float and the 16-bit floats.
#pragma once

#include <cstdint>

#include "cpu/half.h"

namespace minitorch::cpu {

/// out[i] = x[i], with the bits that half.h gives, on every instruction set.
void widen_row(const Float16* x, float* out, int64_t count);
void widen_row(const BFloat16* x, float* out, int64_t count);
void narrow_row(const float* x, Float16* out, int64_t count);
void narrow_row(const float* x, BFloat16* out, int64_t count);

}  // namespace minitorch::cpu
