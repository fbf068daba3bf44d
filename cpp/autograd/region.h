// The linear ops between a tensor and a region of its memory, whatever view made the
// region.
#pragma once

#include "autograd/tensor.h"

namespace minitorch::autograd {

/// Where a view lies in the memory of its base. No element of the base may share memory
/// with another.
struct Region {
  Region(const array::Array& base, const array::Array& view);

  array::Shape base_shape, shape;
  array::Strides base_strides, strides;
  int64_t start;          // first element of the view, counted from the base's memory
  int64_t base_start;     // first element of the base, counted likewise
  int64_t base_elements;  // length of that memory
};

/// `a`, of the base's shape, restricted to the region: of the view's shape.
TensorPtr take(const TensorPtr& a, const Region& region);
/// Zeros of the base's shape with `part`, of the view's shape, in the region.
TensorPtr put(const TensorPtr& part, const Region& region);
/// `a`, of the base's shape, with zeros in the region.
TensorPtr clear(const TensorPtr& a, const Region& region);

/// For node.cpp: gives a view the history that its base has now.
void follow_base(const TensorPtr& view);

}  // namespace minitorch::autograd
