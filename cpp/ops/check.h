// Whether the numbers in an array fit: indices, labels, probabilities. On `cpu` an
// unfit one is an error at once; on `cuda` nobody waits, the error comes at the next
// synchronisation, and reading goes on at 0.
#pragma once

#include <optional>

#include "array/array.h"
#include "ops/launch.h"

namespace minitorch::ops {

/// As what the error speaks of the numbers.
enum class Numbers {
  Index,      // "index 5 for a dimension of size 3; need -3 to 2": counted from the end
  Row,        // "index 5 at position 1; need 0 to 2"
  Label,      // "label 5 at index 1; need 0 to 2"; of any dtype, but whole numbers
  PlainLabel  // "label 5; need 0 to 2"
};

/// `index` as int64, row-major and, on `cuda`, in memory of its own. IndexError of the
/// op `where` for one that does not name one of `size` cells (ValueError for a label
/// that is not whole); TypeError unless it holds integers, which labels need not.
/// `ignored` stands for none and gives 0.
array::Array checked_numbers(Numbers kind, const array::Array& index, int64_t size,
                             const char* where,
                             std::optional<int64_t> ignored = std::nullopt);

/// Arguments of a kernel of the op `where` that refuses labels itself (refusal.cuh):
/// the note, and the rule of a plain label.
void add_label_note(KernelLaunch& launch, const char* where);

/// ValueError of the op `where` if an element is below 0 or above 1; NaN passes.
void require_probabilities(const array::Array& a, const char* where);

}  // namespace minitorch::ops
