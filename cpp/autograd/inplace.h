// The change of a tensor's memory in place: who may be written to, and how histories
// follow.
#pragma once

#include "autograd/elementwise.h"
#include "autograd/tensor.h"

namespace minitorch::autograd {

/// Writes `value`, broadcast and converted, over the elements of `target`, which may be
/// a view: the histories of its base and of all other views of that follow. `where`
/// names the op. Throws StateError for a leaf that collects a gradient (or a view of
/// one) while recording, ValueError for a shape or device that does not fit, for
/// elements that share memory, and for read-only memory.
void assign_view(const TensorPtr& target, const TensorPtr& value, const char* where);

/// a = op(a, b) in the memory of `a`; returns `a`. The result must have the shape of
/// `a` and fit its dtype: TypeError for a float in an integer tensor.
TensorPtr binary_in_place(cpu::Binary op, const TensorPtr& a, const TensorPtr& b,
                          const char* where);
TensorPtr binary_in_place(cpu::Binary op, const TensorPtr& a, Number b,
                          const char* where);

/// `a` becomes `view`, which is one of its own memory: another shape, other strides.
/// StateError where it is none, or `a` requires a gradient.
void look_as(const TensorPtr& a, const TensorPtr& view);

/// Every element `value`; returns `a`.
TensorPtr fill_in_place(const TensorPtr& a, Number value, const char* where);

/// Does nothing else show its memory: no view, no saved value, no array of NumPy?
bool has_memory_alone(const Tensor& a);

/// Lets `target`, whose memory nothing else showed, show that of `result`, an op's that
/// read it: what writing it there would do, without the copy. Without a gradient it may
/// get another shape.
void become(const TensorPtr& target, const TensorPtr& result, const char* where);

/// For ops that compute a whole new value: `target` takes the elements and the history
/// of `result`, which was made from it, has its shape and fits its dtype.
void take_over(const TensorPtr& target, const TensorPtr& result, const char* where);

}  // namespace minitorch::autograd
