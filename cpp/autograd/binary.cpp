// Owns the binary elementwise ops on tensors and their gradients. A gradient may have
// the broadcast shape: the engine sums it to the shape of the input.
#include "autograd/binary.h"

#include "autograd/node.h"
#include "autograd/unary.h"
#include "ops/create.h"

namespace minitorch::autograd {
namespace {

using cpu::Binary;

/// What the gradients of both sides are made of; a side is saved only for the other's
/// gradient or its own, as the op needs.
struct Sides {
  Saved a, b;
  bool needs_a, needs_b;
};

TensorPtr zeros_like(const TensorPtr& g) {
  return make_tensor(ops::full(array::Shape{}, 0, g->value.dtype(), g->value.device())
                         .expand(g->value.shape()));
}

/// 1 where the side was chosen, ½ where both are equal, 0 elsewhere.
TensorPtr chosen(Binary op, const TensorPtr& a, const TensorPtr& b) {
  return add(op == Binary::Maximum ? greater(a, b) : less(a, b),
             mul(equal(a, b), Number{0.5}));
}

/// d(a ** b)/db = out log(a), and 0 where a is 0, as the limit for b > 0.
TensorPtr pow_exponent(const TensorPtr& g, const TensorPtr& a, const TensorPtr& b) {
  const TensorPtr zero = equal(detach(a), Number{0});
  return mul(mul(g, pow(a, b)), log(add(a, zero)));
}

TensorPtr gradient_a(Binary op, const TensorPtr& g, const Sides& s) {
  switch (op) {
    case Binary::Add:
    case Binary::Sub:
      return g;
    case Binary::Mul:
      return mul(g, s.b.tensor());
    case Binary::Div:
      return div(g, s.b.tensor());
    case Binary::Pow: {
      const TensorPtr b = s.b.tensor();
      return mul(mul(g, b), pow(s.a.tensor(), sub(b, Number{1})));
    }
    case Binary::Maximum:
    case Binary::Minimum:
      return mul(g, chosen(op, detach(s.a.tensor()), detach(s.b.tensor())));
    default:
      return zeros_like(g);
  }
}

TensorPtr gradient_b(Binary op, const TensorPtr& g, const Sides& s) {
  switch (op) {
    case Binary::Add:
      return g;
    case Binary::Sub:
      return neg(g);
    case Binary::Mul:
      return mul(g, s.a.tensor());
    case Binary::Div: {
      const TensorPtr b = s.b.tensor();
      return neg(div(mul(g, s.a.tensor()), mul(b, b)));
    }
    case Binary::Pow:
      return pow_exponent(g, s.a.tensor(), s.b.tensor());
    case Binary::Maximum:
    case Binary::Minimum:
      return mul(g, chosen(op, detach(s.b.tensor()), detach(s.a.tensor())));
    default:
      return zeros_like(g);
  }
}

const char* name_of(Binary op) {
  switch (op) {
    case Binary::Add:
      return "add";
    case Binary::Sub:
      return "sub";
    case Binary::Mul:
      return "mul";
    case Binary::Div:
      return "div";
    case Binary::Pow:
      return "pow";
    case Binary::Maximum:
      return "maximum";
    case Binary::Minimum:
      return "minimum";
    case Binary::Less:
      return "lt";
    case Binary::Greater:
      return "gt";
    default:
      return "eq";
  }
}

Sides save(Binary op, const TensorPtr& a, const TensorPtr& b) {
  Sides s;
  s.needs_a = a->requires_grad;
  s.needs_b = b->requires_grad;
  const bool both = op == Binary::Pow || op == Binary::Maximum || op == Binary::Minimum;
  const bool product = op == Binary::Mul || op == Binary::Div;
  if (both || (product && s.needs_b)) s.a = Saved(a);
  if (both || (op == Binary::Mul && s.needs_a) || op == Binary::Div) s.b = Saved(b);
  return s;
}

}  // namespace

TensorPtr binary(Binary op, const TensorPtr& a, const TensorPtr& b) {
  return record(name_of(op), ops::binary(op, a->value, b->value), {a, b}, [&] {
    return [op, s = save(op, a, b)](const TensorPtr& g, Node&) {
      return Gradients{s.needs_a ? gradient_a(op, g, s) : nullptr,
                       s.needs_b ? gradient_b(op, g, s) : nullptr};
    };
  });
}

TensorPtr binary(Binary op, const TensorPtr& a, Number b) {
  return binary(op, a, make_tensor(ops::beside(a->value, b)));
}

TensorPtr binary(Binary op, Number a, const TensorPtr& b) {
  return binary(op, make_tensor(ops::beside(b->value, a)), b);
}

}  // namespace minitorch::autograd
