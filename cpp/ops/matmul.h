// The matrix product on both devices: shapes, batches, layouts.
#pragma once

#include "array/array.h"

namespace minitorch::ops {

/// (…, m, k) @ (…, k, n) -> (…, m, n); leading dimensions broadcast. Needs at least two
/// dimensions on both sides, and one floating dtype.
array::Array matmul(const array::Array& a, const array::Array& b);

}  // namespace minitorch::ops
