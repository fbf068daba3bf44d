#include "autograd/elementwise.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "array/broadcast_error.h"
#include "autograd/indexing.h"
#include "autograd/node.h"
#include "autograd/promotion.h"
#include "base/error.h"
#include "ops/create.h"
#include "ops/layout.h"
#include "runtime/recorder.h"

namespace minitorch::autograd {
namespace {

using array::Array;
using array::Dtype;
using cpu::Binary;
using cpu::Compare;
using cpu::Unary;

// What gradients in elementwise.inc are made of.
constexpr double kRootHalf = std::numbers::sqrt2 / 2;
constexpr double kInvRootPi = std::numbers::inv_sqrtpi;

// What the formulas ask of a side, of a number too. Its cells are those that the
// forward step computed with: numbers are rounded to the tensor's dtype before.
Number detach(Number a) { return a; }

Number sub(Number a, Number b) { return a.value - b.value; }

TensorPtr sum_of_squares(const TensorPtr& a, const TensorPtr& b) {
  return add(mul(a, a), mul(b, b));
}
TensorPtr sum_of_squares(const TensorPtr& a, Number b) {
  return add(mul(a, a), Number{b.value * b.value});
}
TensorPtr sum_of_squares(Number a, const TensorPtr& b) { return sum_of_squares(b, a); }

/// The gradient of digamma, made of ops so that it has one, too: below 1/2 reflected,
/// then shifted up by 10 to where Stirling's series holds.
TensorPtr trigamma(const TensorPtr& x) {
  const TensorPtr below = order(Compare::Less, autograd::detach(x), Number{0.5});
  const TensorPtr sign = sub(Number{1}, mul(below, Number{2}));
  TensorPtr y = add(mul(sign, x), below);  // x or 1 - x
  TensorPtr sum = mul(below, Number{0});
  for (int k = 0; k < 10; ++k) {
    sum = add(sum, reciprocal(mul(y, y)));
    y = add(y, Number{1});
  }
  const TensorPtr r = reciprocal(y), t = mul(r, r);
  TensorPtr series = add(mul(t, Number{-1.0 / 30}), Number{1.0 / 42});
  series = add(mul(t, series), Number{-1.0 / 30});
  series = add(mul(t, series), Number{1.0 / 6});
  series = add(mul(r, series), Number{0.5});
  sum = add(sum, add(r, mul(t, series)));
  // (π / sin πx)² where it is reflected, and sin(π/2) elsewhere.
  const TensorPtr angle = add(mul(mul(below, x), Number{std::numbers::pi}),
                              mul(sub(Number{1}, below), Number{std::numbers::pi / 2}));
  const TensorPtr root = div(Number{std::numbers::pi}, sin(angle));
  return add(mul(sign, sum), mul(below, mul(root, root)));
}

TensorPtr zeros_of(const TensorPtr& g) {
  return make_tensor(
      ops::full(array::Shape{}, Number{0}, g->value.dtype(), g->value.device())
          .expand(g->value.shape()));
}

/// 0 where `a` op `b`, g elsewhere, beside a NaN too. Not by a product: inf * 0 is NaN.
template <class B>
TensorPtr masked(const TensorPtr& g, Compare op, const TensorPtr& a, const B& b) {
  return where(compare(op, autograd::detach(a), detach(b)), Number{0.0}, g);
}

/// g where `a` was chosen of two, half of it where both are equal, 0 where it `lost`;
/// `b` is a tensor or a number.
template <class B>
TensorPtr chosen(const TensorPtr& g, Compare lost, const TensorPtr& a, const B& b) {
  const TensorPtr equal = compare(Compare::Equal, autograd::detach(a), detach(b));
  return where(equal, mul(g, Number{0.5}), masked(g, lost, a, b));
}

/// The gradient of a ** b for a: g b a ** (b - 1), and 0 for b = 0 even where 1 / a has
/// no value.
TensorPtr power_slope(const TensorPtr& g, const TensorPtr& a, Number b) {
  if (b.value == 0) return zeros_of(g);
  return mul(g, mul(pow(a, sub(b, Number{1})), b));
}
TensorPtr power_slope(const TensorPtr& g, const TensorPtr& a, const TensorPtr& b) {
  const TensorPtr inverse = reciprocal(autograd::detach(a));
  const TensorPtr open =  // 1 where 1 / a is infinite or NaN: times 0 it is NaN
      order(Compare::NotEqual, mul(inverse, Number{0}), Number{0});
  const TensorPtr flat =
      mul(open, order(Compare::Equal, autograd::detach(b), Number{0}));
  return mul(g, mul(b, pow(a, add(sub(b, Number{1}), flat))));
}

/// The gradient of a ** b for b is the result times this: log(a), and 0 where a is 0
/// unless b is below 0, as the limit.
TensorPtr log_of_base(const TensorPtr& a, const TensorPtr& b) {
  const TensorPtr bounded =
      mul(order(Compare::Equal, autograd::detach(a), Number{0}),
          order(Compare::GreaterEqual, autograd::detach(b), Number{0}));
  return log(add(a, bounded));
}
TensorPtr log_of_base(Number a, const TensorPtr& b) {
  const TensorPtr x = autograd::detach(b);
  if (a.value == 0) return log(order(Compare::GreaterEqual, x, Number{0}));
  return make_tensor(ops::beside(x->value, Number{std::log(a.value)}, "pow"));
}

/// The gradient of a row, and what it is made of beside g. Of the two tensors it gets
/// those that it uses; a unary op has its input or its output as the first.
struct Gradient {
  using Body = TensorPtr (*)(const TensorPtr& g, const TensorPtr& a,
                             const TensorPtr& b);
  Body body;
  bool of_a = false, of_b = false;
  bool of_output = false;
  std::optional<Binary> fused = std::nullopt;  // the same where no graph is asked for
};

constexpr Gradient kZero{
    [](const TensorPtr& g, const TensorPtr&, const TensorPtr&) { return zeros_of(g); }};

#define GRADIENT(a, b, ...)                                   \
  [](const TensorPtr& g, [[maybe_unused]] const TensorPtr& a, \
     [[maybe_unused]] const TensorPtr& b) -> TensorPtr { __VA_ARGS__ }
#define ZERO kZero
#define OF_GRADIENT(...) \
  Gradient { GRADIENT(, , __VA_ARGS__) }
#define OF_INPUT(...) \
  Gradient { GRADIENT(x, , __VA_ARGS__), true }
#define OF_OUTPUT(...) \
  Gradient { GRADIENT(y, , __VA_ARGS__), true, false, true }
#define FUSED_INPUT(op, ...) \
  Gradient { GRADIENT(x, , __VA_ARGS__), true, false, false, Binary::op }
#define FUSED_OUTPUT(op, ...) \
  Gradient { GRADIENT(y, , __VA_ARGS__), true, false, true, Binary::op }

constexpr Gradient kUnaryGradients[] = {
#define MINITORCH_UNARY(Op, function, name, domain, formula, gradient, ...) gradient,
#include "cpu/elementwise.inc"
};

#undef GRADIENT
#undef ZERO
#undef OF_GRADIENT

/// The gradient of one side of a binary row: a body for two tensors, and for one beside
/// a number.
template <class Body>
struct SideGradient {
  Body body;
  bool of_a = false, of_b = false;
};

struct BinaryGradients {
  template <class A, class B>
  constexpr BinaryGradients(SideGradient<A> of_left, SideGradient<B> of_right)
      : a{of_left.body, of_left.of_a, of_left.of_b},
        b{of_right.body, of_right.of_a, of_right.of_b},
        a_beside_number(of_left.body),
        b_beside_number(of_right.body) {}
  Gradient a, b;
  TensorPtr (*a_beside_number)(const TensorPtr& g, const TensorPtr& a, const Number& b);
  TensorPtr (*b_beside_number)(const TensorPtr& g, const Number& a, const TensorPtr& b);
};

#define GRADIENT(...)                                    \
  [](const TensorPtr& g, [[maybe_unused]] const auto& a, \
     [[maybe_unused]] const auto& b) -> TensorPtr { __VA_ARGS__ }
#define ZERO \
  SideGradient { GRADIENT(return zeros_of(g);) }
#define OF_GRADIENT(...) \
  SideGradient { GRADIENT(__VA_ARGS__) }
#define OF_A(...) \
  SideGradient { GRADIENT(__VA_ARGS__), true }
#define OF_B(...) \
  SideGradient { GRADIENT(__VA_ARGS__), false, true }
#define OF_BOTH(...) \
  SideGradient { GRADIENT(__VA_ARGS__), true, true }

constexpr BinaryGradients kBinaryGradients[] = {
#define MINITORCH_BINARY(Op, function, name, domain, truth, formula, of_a, of_b, ...) \
  {of_a, of_b},
#include "cpu/elementwise.inc"
};

#undef GRADIENT
#undef ZERO
#undef OF_GRADIENT
#undef OF_INPUT
#undef OF_OUTPUT
#undef FUSED_INPUT
#undef FUSED_OUTPUT
#undef OF_A
#undef OF_B
#undef OF_BOTH

/// The gradient in one loop, from the input or the output that was saved.
Gradients fused(const Gradient& rule, const Array& saved, const TensorPtr& g) {
  return {make_tensor(ops::binary(*rule.fused, saved, g->value))};
}

TensorPtr with_output(const Gradient& rule, const char* name, const Array& out,
                      const TensorPtr& a) {
  return record(name, out, {a}, [&] {
    return [&rule, y = SavedArray(out)](const TensorPtr& g, Node& node) {
      if (rule.fused && !grad_enabled()) return fused(rule, y.value(), g);
      return Gradients{rule.body(g, output_of(node, y), nullptr)};
    };
  });
}

TensorPtr unary(Unary op, const TensorPtr& a) {
  if (torch_promotes(a, ops::is_real(op))) return unary(op, torch_real(a));
  const runtime::OpScope scope(ops::name_of(op), {&a->value});
  const Gradient& rule = kUnaryGradients[static_cast<size_t>(op)];
  const bool flat = rule.body == kZero.body;  // graphs show all of these as one kind
  const char* name = flat ? "step" : ops::name_of(op);
  if (rule.of_output) return with_output(rule, name, ops::unary(op, a->value), a);
  return record(name, ops::unary(op, a->value), {a}, [&] {
    return [&rule, x = rule.of_a ? Saved(a) : Saved()](const TensorPtr& g, Node&) {
      if (rule.fused && !grad_enabled()) return fused(rule, x.value(), g);
      return Gradients{rule.body(g, rule.of_a ? x.tensor() : nullptr, nullptr)};
    };
  });
}

/// What the gradients of both sides are made of; a side is saved only for a gradient
/// that is needed and uses it.
struct Sides {
  Saved a, b;
  bool needs_a, needs_b;
};

Sides save(Binary op, const TensorPtr& a, const TensorPtr& b) {
  const auto& rule = kBinaryGradients[static_cast<size_t>(op)];
  Sides s;
  s.needs_a = requires_gradient(a);
  s.needs_b = requires_gradient(b);
  if ((s.needs_a && rule.a.of_a) || (s.needs_b && rule.b.of_a)) s.a = Saved(a);
  if ((s.needs_a && rule.a.of_b) || (s.needs_b && rule.b.of_b)) s.b = Saved(b);
  return s;
}

TensorPtr of_side(const Gradient& rule, const TensorPtr& g, const Sides& s) {
  return rule.body(g, rule.of_a ? s.a.tensor() : nullptr,
                   rule.of_b ? s.b.tensor() : nullptr);
}

/// May a dim of size 1 be left of a sum or a mean, which keep it outside of PyTorch's
/// dialect?
bool may_have_kept_a_dim(const TensorPtr& a) {
  const array::Shape& shape = a->value.shape();
  return a->dialect != Dialect::Torch && shape.size() > 1 &&
         std::find(shape.begin(), shape.end(), 1) != shape.end();
}

/// The op's result. An error about shapes tells of kept dims, where there may be some.
Array computed(Binary op, const TensorPtr& a, const TensorPtr& b) {
  try {
    return ops::binary(op, a->value, b->value);
  } catch (const array::BroadcastError& error) {
    if (speaks_torch(a) || speaks_torch(b)) {
      throw base::StateError(error.where, error.reason);
    }
    if (!may_have_kept_a_dim(a) && !may_have_kept_a_dim(b)) throw;
    throw array::BroadcastError(error.where,
                                error.reason +
                                    " sum(dim) and mean(dim) keep a dim of size 1; "
                                    "keepdim=False drops it.");
  }
}

/// A number as the op computes with it beside `a`.
Number beside(const TensorPtr& a, Number number, const char* where) {
  const Dtype dtype = a->value.dtype();
  return ops::rounded(number, ops::dtype_beside(dtype, number, where));
}

}  // namespace

#define MINITORCH_UNARY(Op, function, ...) \
  TensorPtr function(const TensorPtr& a) { return unary(Unary::Op, a); }
#include "cpu/elementwise.inc"

TensorPtr binary(Binary op, const TensorPtr& a, const TensorPtr& b) {
  const Dtype truth = Dtype::Bool;
  if (op == Binary::Pow && speaks_torch(a) && a->value.dtype() == truth &&
      b->value.dtype() == truth) {
    throw base::StateError("pow",
                           "got torch.bool and torch.bool; need numbers. Try "
                           ".int().");
  }
  if (torch_promotes(a, b, ops::is_real(op))) {
    const auto [x, y] = torch_promoted(a, b, ops::is_real(op));
    return binary(op, x, y);
  }
  const runtime::OpScope scope(ops::name_of(op), {&a->value, &b->value});
  return record(ops::name_of(op), computed(op, a, b), {a, b}, [&] {
    const auto& rule = kBinaryGradients[static_cast<size_t>(op)];
    return [&rule, s = save(op, a, b)](const TensorPtr& g, Node&) {
      return Gradients{s.needs_a ? of_side(rule.a, g, s) : nullptr,
                       s.needs_b ? of_side(rule.b, g, s) : nullptr};
    };
  });
}

TensorPtr binary(Binary op, const TensorPtr& a, Number b) {
  if (torch_promotes(a, b, ops::is_real(op))) {
    return binary(op, torch_promoted(a, b, ops::is_real(op)), b);
  }
  const runtime::OpScope scope(ops::name_of(op), {&a->value});
  // Squares are common, and pow is slow and rounds no better.
  if (op == Binary::Pow && b.value == 2 && b.is_integer) return mul(a, a);
  return record(ops::name_of(op), ops::binary(op, a->value, b), {a}, [&] {
    const BinaryGradients& rule = kBinaryGradients[static_cast<size_t>(op)];
    return [&rule, x = rule.a.of_a ? Saved(a) : Saved(),
            number = beside(a, b, ops::name_of(op))](const TensorPtr& g, Node&) {
      return Gradients{
          rule.a_beside_number(g, rule.a.of_a ? x.tensor() : nullptr, number)};
    };
  });
}

TensorPtr binary(Binary op, Number a, const TensorPtr& b) {
  if (torch_promotes(b, a, ops::is_real(op))) {
    return binary(op, a, torch_promoted(b, a, ops::is_real(op)));
  }
  const runtime::OpScope scope(ops::name_of(op), {&b->value});
  return record(ops::name_of(op), ops::binary(op, a, b->value), {b}, [&] {
    const BinaryGradients& rule = kBinaryGradients[static_cast<size_t>(op)];
    return [&rule, x = rule.b.of_b ? Saved(b) : Saved(),
            number = beside(b, a, ops::name_of(op))](const TensorPtr& g, Node&) {
      return Gradients{
          rule.b_beside_number(g, number, rule.b.of_b ? x.tensor() : nullptr)};
    };
  });
}

TensorPtr compare(Compare op, const TensorPtr& a, const TensorPtr& b) {
  if (torch_promotes(a, b)) {
    const auto [x, y] = torch_promoted(a, b);
    return compare(op, x, y);
  }
  const runtime::OpScope scope(ops::name_of(op), {&a->value, &b->value});
  return without_node(ops::compare(op, a->value, b->value), {a, b});
}

TensorPtr compare(Compare op, const TensorPtr& a, Number b) {
  if (torch_promotes(a, b)) return compare(op, torch_promoted(a, b), b);
  const runtime::OpScope scope(ops::name_of(op), {&a->value});
  return without_node(ops::compare(op, a->value, b), {a});
}

TensorPtr order(Compare op, const TensorPtr& a, const TensorPtr& b) {
  const runtime::OpScope scope(ops::name_of(op), {&a->value, &b->value});
  return record("compare", ops::order(op, a->value, b->value), {a, b}, [&] {
    return [left = requires_gradient(a), right = requires_gradient(b)](
               const TensorPtr& g, Node&) {
      return Gradients{left ? zeros_of(g) : nullptr, right ? zeros_of(g) : nullptr};
    };
  });
}

TensorPtr order(Compare op, const TensorPtr& a, Number b) {
  const runtime::OpScope scope(ops::name_of(op), {&a->value});
  return record("compare", ops::order(op, a->value, b), {a}, [&] {
    return [](const TensorPtr& g, Node&) { return Gradients{zeros_of(g)}; };
  });
}

TensorPtr clamp(const TensorPtr& a, std::optional<Number> low,
                std::optional<Number> high) {
  const runtime::OpScope scope("clamp", {&a->value});
  if (!low && !high) {
    throw base::ValueError("clamp", "got neither min nor max; need at least one.");
  }
  return record("clamp", ops::clamp(a->value, low, high), {a}, [&] {
    return [x = Saved(a), low, high](const TensorPtr& g, Node&) {
      const TensorPtr value = detach(x.tensor());
      const Number zero = 0.0;
      TensorPtr within = g;
      if (low) within = where(compare(Compare::Greater, value, *low), within, zero);
      if (high) within = where(compare(Compare::Less, value, *high), within, zero);
      return Gradients{within};
    };
  });
}

}  // namespace minitorch::autograd
