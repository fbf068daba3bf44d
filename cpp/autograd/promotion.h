// In which dtype ops of PyTorch's dialect compute: by the kind of an operand (bool,
// integer, float) and by whether it has dimensions. MiniTorch's dialect has NumPy's
// rules (array::promote).
#pragma once

#include <utility>
#include <vector>

#include "autograd/tensor.h"
#include "ops/number.h"

namespace minitorch::autograd {

/// The dtype that PyTorch's dialect gives real numbers made of integers; at first
/// float32. TypeError unless it is floating.
array::Dtype torch_default_dtype();
void set_torch_default_dtype(array::Dtype dtype);

/// The dtype of a result of both: tensors without dimensions, and numbers, count only
/// where their kind is higher.
/// https://docs.pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc
array::Dtype torch_result_type(const array::Array& a, const array::Array& b);
array::Dtype torch_result_type(const array::Array& a, const ops::Number& b);

inline bool speaks_torch(const TensorPtr& a) { return a->dialect == Dialect::Torch; }

/// Does PyTorch's dialect compute an op of these in a dtype that one of them lacks?
/// `of_reals`: the op gives no integers.
bool torch_promotes(const TensorPtr& a, const TensorPtr& b, bool of_reals = false);
bool torch_promotes(const TensorPtr& a, const ops::Number& b, bool of_reals = false);
bool torch_promotes(const TensorPtr& a, bool of_reals);
bool torch_promotes(const std::vector<TensorPtr>& tensors);

/// The operands in the dtype in which PyTorch's dialect computes.
std::pair<TensorPtr, TensorPtr> torch_promoted(const TensorPtr& a, const TensorPtr& b,
                                               bool of_reals = false);
TensorPtr torch_promoted(const TensorPtr& a, const ops::Number& b,
                         bool of_reals = false);
std::vector<TensorPtr> torch_promoted(const std::vector<TensorPtr>& tensors);
TensorPtr torch_real(const TensorPtr& a);

}  // namespace minitorch::autograd
