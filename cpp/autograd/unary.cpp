// Owns the unary elementwise ops on tensors and their gradients.
#include "autograd/unary.h"

#include "autograd/binary.h"
#include "autograd/compare.h"
#include "autograd/node.h"
#include "ops/binary.h"
#include "ops/create.h"
#include "ops/unary.h"

namespace minitorch::autograd {
namespace {

using cpu::Binary;
using cpu::Compare;
using cpu::Unary;

/// An op whose gradient needs its input.
template <class Gradient>
TensorPtr from_input(const char* name, Unary op, const TensorPtr& a,
                     Gradient gradient) {
  return record(name, ops::unary(op, a->value), {a}, [&] {
    return [x = Saved(a), gradient](const TensorPtr& g, Node&) {
      return Gradients{gradient(g, x)};
    };
  });
}

/// An op whose gradient needs its output.
template <class Gradient>
TensorPtr from_output(const char* name, Unary op, const TensorPtr& a,
                      Gradient gradient) {
  array::Array y = ops::unary(op, a->value);
  return record(name, y, {a}, [&] {
    return [saved = SavedArray(y), gradient](const TensorPtr& g, Node& node) {
      return Gradients{gradient(g, saved, node)};
    };
  });
}

/// One fused loop where no graph of the gradient is asked for.
TensorPtr fused(Binary op, const array::Array& saved, const TensorPtr& g) {
  return make_tensor(ops::binary(op, saved, g->value));
}

}  // namespace

TensorPtr neg(const TensorPtr& a) {
  return from_input("neg", Unary::Neg, a,
                    [](const TensorPtr& g, const Saved&) { return neg(g); });
}

TensorPtr abs(const TensorPtr& a) {
  return from_input("abs", Unary::Abs, a, [](const TensorPtr& g, const Saved& x) {
    const TensorPtr value = detach(x.tensor());
    return mul(g, sign(value));
  });
}

TensorPtr relu(const TensorPtr& a) {
  return from_input("relu", Unary::Relu, a, [](const TensorPtr& g, const Saved& x) {
    if (!grad_enabled()) return fused(Binary::ReluGrad, x.value(), g);
    return mul(g, order(Compare::Greater, detach(x.tensor()), Number{0}));
  });
}

TensorPtr sigmoid(const TensorPtr& a) {
  return from_output("sigmoid", Unary::Sigmoid, a,
                     [](const TensorPtr& g, const SavedArray& value, Node& node) {
                       if (!grad_enabled())
                         return fused(Binary::SigmoidGrad, value.value(), g);
                       const TensorPtr y = output_of(node, value);
                       return mul(g, mul(y, sub(Number{1}, y)));
                     });
}

TensorPtr exp(const TensorPtr& a) {
  return from_output("exp", Unary::Exp, a,
                     [](const TensorPtr& g, const SavedArray& value, Node& node) {
                       return mul(g, output_of(node, value));
                     });
}

TensorPtr log(const TensorPtr& a) {
  return from_input("log", Unary::Log, a, [](const TensorPtr& g, const Saved& x) {
    return div(g, x.tensor());
  });
}

TensorPtr sqrt(const TensorPtr& a) {
  return from_output("sqrt", Unary::Sqrt, a,
                     [](const TensorPtr& g, const SavedArray& value, Node& node) {
                       return div(mul(g, Number{0.5}), output_of(node, value));
                     });
}

TensorPtr tanh(const TensorPtr& a) {
  return from_output("tanh", Unary::Tanh, a,
                     [](const TensorPtr& g, const SavedArray& value, Node& node) {
                       if (!grad_enabled())
                         return fused(Binary::TanhGrad, value.value(), g);
                       const TensorPtr y = output_of(node, value);
                       return mul(g, sub(Number{1}, mul(y, y)));
                     });
}

TensorPtr rsqrt(const TensorPtr& a) {
  return from_output("rsqrt", Unary::Rsqrt, a,
                     [](const TensorPtr& g, const SavedArray& value, Node& node) {
                       const TensorPtr y = output_of(node, value);
                       return mul(mul(g, Number{-0.5}), mul(y, mul(y, y)));
                     });
}

TensorPtr reciprocal(const TensorPtr& a) {
  return from_output("reciprocal", Unary::Reciprocal, a,
                     [](const TensorPtr& g, const SavedArray& value, Node& node) {
                       const TensorPtr y = output_of(node, value);
                       return neg(mul(g, mul(y, y)));
                     });
}

TensorPtr sin(const TensorPtr& a) {
  return from_input("sin", Unary::Sin, a, [](const TensorPtr& g, const Saved& x) {
    return mul(g, cos(x.tensor()));
  });
}

TensorPtr cos(const TensorPtr& a) {
  return from_input("cos", Unary::Cos, a, [](const TensorPtr& g, const Saved& x) {
    return neg(mul(g, sin(x.tensor())));
  });
}

/// An op whose slope is 0 wherever it has one.
static TensorPtr step(Unary op, const TensorPtr& a) {
  return from_input("step", op, a, [](const TensorPtr& g, const Saved&) {
    const array::Array zero =
        ops::full(array::Shape{}, Number{0}, g->value.dtype(), g->value.device());
    return make_tensor(zero.expand(g->value.shape()));
  });
}

TensorPtr sign(const TensorPtr& a) { return step(Unary::Sign, a); }
TensorPtr floor(const TensorPtr& a) { return step(Unary::Floor, a); }
TensorPtr ceil(const TensorPtr& a) { return step(Unary::Ceil, a); }
TensorPtr round(const TensorPtr& a) { return step(Unary::Round, a); }

}  // namespace minitorch::autograd
