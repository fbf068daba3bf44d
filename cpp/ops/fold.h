// The launches of reduce.cu: groups of threads, segments, two passes.
#pragma once

#include <string>
#include <vector>

#include "array/array.h"
#include "ops/number.h"

namespace minitorch::ops {

/// What a fold computes: `function` is CUDA C++ that declares `struct Fn`.
struct FoldKernel {
  std::string function;
  Number start;
  std::vector<std::string> options = {};  // for the compiler
};

/// (…, n, …) -> (…, 1, …): folds `dim` of `a` into `out`, which is contiguous and has
/// at least one cell.
void fold_on_device(const FoldKernel& fold, const array::Array& a, size_t dim,
                    const array::Array& out);

}  // namespace minitorch::ops
