// Owns the binary elementwise ops on tensors and their gradients. A gradient may have
// the broadcast shape: the engine sums it to the shape of the input.
#include "autograd/binary.h"

#include "autograd/compare.h"
#include "autograd/node.h"
#include "autograd/unary.h"
#include "ops/create.h"

namespace minitorch::autograd {
namespace {

using cpu::Binary;
using cpu::Compare;

/// What the gradients of both sides are made of; a side is saved only for the other's
/// gradient or its own, as the op needs.
struct Sides {
  Saved a, b;
  bool needs_a, needs_b;
};

TensorPtr zeros_of(const TensorPtr& g) {
  return make_tensor(
      ops::full(array::Shape{}, Number{0}, g->value.dtype(), g->value.device())
          .expand(g->value.shape()));
}

/// 1 where the side was chosen, ½ where both are equal, 0 elsewhere.
TensorPtr chosen(Binary op, const TensorPtr& a, const TensorPtr& b) {
  const Compare won = op == Binary::Maximum ? Compare::Greater : Compare::Less;
  return add(order(won, a, b), mul(order(Compare::Equal, a, b), Number{0.5}));
}

/// d(a ** b)/db = out log(a), and 0 where a is 0, as the limit for b > 0.
TensorPtr pow_exponent(const TensorPtr& g, const TensorPtr& a, const TensorPtr& b) {
  const TensorPtr zero = order(Compare::Equal, detach(a), Number{0});
  return mul(mul(g, pow(a, b)), log(add(a, zero)));
}

TensorPtr gradient_a(Binary op, const TensorPtr& g, const Sides& s) {
  switch (op) {
    case Binary::Add:
    case Binary::Sub:
    case Binary::Mod:
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
      return zeros_of(g);
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
    case Binary::Mod:
      return neg(mul(g, binary(Binary::FloorDiv, s.a.tensor(), s.b.tensor())));
    case Binary::Pow:
      return pow_exponent(g, s.a.tensor(), s.b.tensor());
    case Binary::Maximum:
    case Binary::Minimum:
      return mul(g, chosen(op, detach(s.b.tensor()), detach(s.a.tensor())));
    default:
      return zeros_of(g);
  }
}

Sides save(Binary op, const TensorPtr& a, const TensorPtr& b) {
  Sides s;
  s.needs_a = requires_gradient(a);
  s.needs_b = requires_gradient(b);
  const bool both = op == Binary::Pow || op == Binary::Maximum ||
                    op == Binary::Minimum || (op == Binary::Mod && s.needs_b);
  const bool product = op == Binary::Mul || op == Binary::Div;
  if (both || (product && s.needs_b)) s.a = Saved(a);
  if (both || (op == Binary::Mul && s.needs_a) || op == Binary::Div) s.b = Saved(b);
  return s;
}

}  // namespace

TensorPtr binary(Binary op, const TensorPtr& a, const TensorPtr& b) {
  return record(ops::name_of(op), ops::binary(op, a->value, b->value), {a, b}, [&] {
    return [op, s = save(op, a, b)](const TensorPtr& g, Node&) {
      return Gradients{s.needs_a ? gradient_a(op, g, s) : nullptr,
                       s.needs_b ? gradient_b(op, g, s) : nullptr};
    };
  });
}

TensorPtr binary(Binary op, const TensorPtr& a, Number b) {
  // Squares are common, and pow is slow and rounds no better.
  if (op == Binary::Pow && b.value == 2 && b.is_integer) return mul(a, a);
  return binary(op, a, make_tensor(ops::beside(a->value, b, ops::name_of(op))));
}

TensorPtr binary(Binary op, Number a, const TensorPtr& b) {
  return binary(op, make_tensor(ops::beside(b->value, a, ops::name_of(op))), b);
}

}  // namespace minitorch::autograd
