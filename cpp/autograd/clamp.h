// Owns the limiting of tensors to a range, and its gradient.
#pragma once

#include <optional>

#include "autograd/binary.h"

namespace minitorch::autograd {

/// The elements limited to low … high, of which one may be missing; NaN stays. The
/// gradient is 1 within the range and on its edges, 0 outside.
TensorPtr clamp(const TensorPtr& a, std::optional<Number> low,
                std::optional<Number> high);

}  // namespace minitorch::autograd
