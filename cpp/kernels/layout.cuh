// The structs that carry shapes and strides into a kernel, and the way from a
// row-major position to an element offset. The host twins are in layout.h.
#pragma once

#include "spec.cuh"

constexpr int MAX_DIMS = 8;

struct Shape {
  long long size[MAX_DIMS];  // outermost first
};

struct Strides {
  long long step[MAX_DIMS];  // in elements; 0 repeats the same element (broadcast)
};

// Peels coordinates off `position`, innermost dimension first, and adds up their steps.
// With DIMS == 0 the array is walked in storage order: the position is the offset.
template <int DIMS>
__device__ inline Index offset_of(Index position, const Shape& shape,
                                  const Strides& strides) {
  if (DIMS == 0) return position;
  Index offset = 0;
#pragma unroll
  for (int d = DIMS - 1; d > 0; --d) {
    const Index size = static_cast<Index>(shape.size[d]);
    const Index outer = position / size;
    offset += (position - outer * size) * static_cast<Index>(strides.step[d]);
    position = outer;
  }
  return offset + position * static_cast<Index>(strides.step[0]);
}
