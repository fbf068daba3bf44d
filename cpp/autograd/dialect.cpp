// Owns how tensors of two dialects stay apart, and how one is looked at in the other.
#include "autograd/dialect.h"

#include "autograd/node.h"
#include "base/error.h"
#include "runtime/recorder.h"

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

TensorPtr in_dialect(const TensorPtr& a, Dialect dialect) {
  if (a->dialect == dialect) return a;
  const char* name = dialect == Dialect::Torch ? "as_torch" : "as_minitorch";
  const runtime::OpScope scope(name, {&a->value});
  const TensorPtr out = record(name, a->value, {a}, [&] {
    return [from = a->dialect](const TensorPtr& g, Node&) {
      return Gradients{in_dialect(g, from)};
    };
  });
  out->dialect = dialect;
  out->backend = nullptr;  // its rules are written for one dialect
  return out;
}

}  // namespace minitorch::autograd
