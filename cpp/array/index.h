// Indexing with integers, ranges and new dimensions: a view, whatever the steps.
#pragma once

#include <vector>

#include "array/array.h"

namespace minitorch::array {

/// What an index does with the next dimension.
struct IndexPart {
  enum class Kind { At, Range, New };
  Kind kind;
  int64_t first = 0;  // of At and Range, counted from the front
  int64_t count = 1;  // of Range
  int64_t step = 1;   // of Range, of either sign
};

/// The view of `a` that the parts make; dimensions beyond them stay whole. Every
/// position must lie within its dimension: IndexError.
Array index(const Array& a, const std::vector<IndexPart>& parts);

}  // namespace minitorch::array
