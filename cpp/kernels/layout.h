// The host twins of the structs that kernels take by value (layout.cuh) and how to fill
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace minitorch::kernels {

/// Most dimensions a kernel can walk after `merge_dims`.
inline constexpr int kMaxDims = 8;

/// Sizes of the walked dimensions, outermost first; unused entries are 1.
struct Shape {
  int64_t size[kMaxDims];
};

/// Distance in elements between neighbours along each dimension; 0 repeats (broadcast).
struct Strides {
  int64_t step[kMaxDims];
};

static_assert(sizeof(Shape) == 64 && sizeof(Strides) == 64 && alignof(Shape) == 8,
              "layout.cuh declares the same structs");

/// How one row-major walk visits several arrays. `dims` is the kernel's NDIM: 0 when
/// every array is walked in storage order, so that the position is the offset in all of
/// them.
struct Walk {
  int dims = 0;
  int64_t size = 1;
  Shape shape;
  std::vector<Strides> strides;  // one per array, in the order given to merge_dims
};

/// Drops dimensions of size 1 and merges neighbouring ones that every array walks as
/// one, so that most launches need no division. `strides[i]` are the element strides of
/// array i for `shape` (0 where it is broadcast); an output belongs in the list too, if
/// it may be strided, and is left out if it is contiguous: then only the inputs decide.
///
/// Example: shape (4, 1, 3) with strides (3, 3, 1) for both arrays gives dims == 0.
/// Raises base::ValueError when more than kMaxDims dimensions remain.
Walk merge_dims(std::span<const int64_t> shape,
                std::span<const std::span<const int64_t>> strides);

/// True when every size and every offset of the walk fits the kernel's `Index = int`
/// (`steps` included), so that 32-bit address arithmetic is exact.
bool fits_int32(const Walk& walk);

}  // namespace minitorch::kernels
