// Folding an array along one dimension with a flat program of two arguments.
#pragma once

#include "cpu/scalar_program.h"

namespace minitorch::cpu {

/// The middle dimension of (outer, length, inner) is folded away.
struct FoldShape {
  size_t outer, length, inner;
};

/// out[o, i] = f(start, cells (o, :, i) joined by f) on the shared threads.
///
/// `program` takes and gives `type`; it must be associative and commutative up to
/// rounding. Cells are joined in a tree that depends on the shape only, not on the
/// number of threads, so that a sum of many float32 keeps its accuracy as on a GPU.
/// `start` is one element; it is joined once, and is the result where `length` is 0.
void fold(const ScalarProgram& program, const void* in, void* out, FoldShape shape,
          const void* start);

}  // namespace minitorch::cpu
