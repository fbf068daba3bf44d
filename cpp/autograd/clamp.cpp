// Owns the limiting of tensors to a range, and its gradient.
#include "autograd/clamp.h"

#include "autograd/compare.h"
#include "autograd/node.h"
#include "base/error.h"

namespace minitorch::autograd {

TensorPtr clamp(const TensorPtr& a, std::optional<Number> low,
                std::optional<Number> high) {
  if (!low && !high) {
    throw base::ValueError("clamp", "got neither min nor max; need at least one.");
  }
  array::Array out = a->value;
  if (low) {
    out = ops::binary(cpu::Binary::Maximum, out, ops::beside(out, *low, "clamp"));
  }
  if (high) {
    out = ops::binary(cpu::Binary::Minimum, out, ops::beside(out, *high, "clamp"));
  }
  return record("clamp", out, {a}, [&] {
    return [x = Saved(a), low, high](const TensorPtr& g, Node&) {
      const TensorPtr value = detach(x.tensor());
      TensorPtr within = g;
      if (low) within = mul(within, order(cpu::Compare::GreaterEqual, value, *low));
      if (high) within = mul(within, order(cpu::Compare::LessEqual, value, *high));
      return Gradients{within};
    };
  });
}

}  // namespace minitorch::autograd
