// How tensors of two dialects stay apart, and how one is looked at in the other.
#pragma once

#include "array/broadcast_error.h"
#include "autograd/tensor.h"

namespace minitorch::autograd {

/// "minitorch", "torch", or "" of none.
const char* dialect_name(Dialect dialect);

/// Throws the TypeError of two tensors of two dialects.
[[noreturn]] void refuse_mixture(const char* where);

/// The dialect of what comes of both; TypeError where they are two.
inline Dialect common_dialect(Dialect a, Dialect b) {
  if (a == b || b == Dialect::None) return a;
  if (a != Dialect::None) refuse_mixture("Tensor");
  return b;
}

/// TypeError of the op `where` unless both tensors may be in it.
void require_one_dialect(const char* where, const TensorPtr& a, const TensorPtr& b);

/// The result of `op`. In PyTorch's dialect, shapes that do not broadcast are a
/// RuntimeError and nothing else.
template <class Op>
auto broadcasting(Dialect dialect, const Op& op) {
  try {
    return op();
  } catch (const array::BroadcastError& error) {
    if (dialect == Dialect::Torch) throw base::StateError(error.where, error.reason);
    throw;
  }
}

}  // namespace minitorch::autograd
