#include "autograd/dialect.h"

#include "base/error.h"

namespace minitorch::autograd {

const char* dialect_name(Dialect dialect) {
  constexpr const char* kNames[] = {"", "minitorch", "torch"};
  return kNames[static_cast<size_t>(dialect)];
}

void refuse_mixture(const char* where) {
  throw base::TypeError(where,
                        "got a minitorch.Tensor and a minitorch.torch.Tensor; need "
                        "tensors of one dialect. Try .as_torch() of the first, or "
                        ".as_minitorch() of the second.");
}

void require_one_dialect(const char* where, const TensorPtr& a, const TensorPtr& b) {
  const bool said = a->dialect != Dialect::None && b->dialect != Dialect::None;
  if (said && a->dialect != b->dialect) refuse_mixture(where);
}

}  // namespace minitorch::autograd
