// The reductions of tensors and their gradients.
#pragma once

#include <optional>

#include "autograd/tensor.h"
#include "cpu/scan.h"

namespace minitorch::autograd {

/// The dimensions that a reduction joins: all, or those listed. An empty list means all
/// that there are, as in PyTorch. Of a tensor without dimensions 0 and -1 are one, too.
struct Axes {
  bool all = true;
  array::Dims dims;

  Axes(std::nullopt_t) {}
  Axes(int64_t dim) : all(false), dims{dim} {}
  Axes(std::optional<int64_t> dim) : all(!dim) {
    if (dim) dims = array::Dims{*dim};
  }
  Axes(array::Dims dims) : all(false), dims(std::move(dims)) {}
};

/// Along `axes`, which stay with size 1 unless `keepdim` is false; over all elements,
/// of shape (1,), or () without `keepdim`.
TensorPtr sum(const TensorPtr& a, const Axes& axes, bool keepdim = true);
TensorPtr mean(const TensorPtr& a, const Axes& axes, bool keepdim = true);
/// The gradient goes in equal parts to all elements that are the extreme.
TensorPtr max(const TensorPtr& a, const Axes& axes, bool keepdim = true);
TensorPtr min(const TensorPtr& a, const Axes& axes, bool keepdim = true);
TensorPtr prod(const TensorPtr& a, const Axes& axes, bool keepdim = true);
/// Sum of squared distances from the mean over (count - correction).
TensorPtr var(const TensorPtr& a, const Axes& axes, double correction,
              bool keepdim = true);
/// Root of `var`, in float64 from beginning to end; its gradient is 0 where all
/// elements are equal.
TensorPtr std_deviation(const TensorPtr& a, const Axes& axes, double correction,
                        bool keepdim = true);
/// log(sum(exp(a))) without overflow; -inf of no elements.
TensorPtr logsumexp(const TensorPtr& a, const Axes& axes, bool keepdim = true);

/// Does any (do all) of the elements differ from 0? bool, without history.
TensorPtr any(const TensorPtr& a, const Axes& axes, bool keepdim = true);
TensorPtr all(const TensorPtr& a, const Axes& axes, bool keepdim = true);

/// Position of the extreme along `dim`, or in row-major order: int64, no history.
TensorPtr arg_extreme(cpu::Extreme which, const TensorPtr& a,
                      std::optional<int64_t> dim, bool keepdim);

/// Running sums along `dim`.
TensorPtr cumsum(const TensorPtr& a, int64_t dim);

}  // namespace minitorch::autograd
