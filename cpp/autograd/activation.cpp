// Owns the smooth activations beyond sigmoid and tanh, and their gradients.
#include "autograd/activation.h"

#include <numbers>

#include "autograd/binary.h"
#include "autograd/node.h"
#include "autograd/unary.h"
#include "ops/unary.h"

namespace minitorch::autograd {
namespace {

using cpu::Unary;

constexpr double kRootHalf = std::numbers::sqrt2 / 2;
constexpr double kInvRootPi = std::numbers::inv_sqrtpi;

/// An op whose gradient is g times the slope at its input.
TensorPtr with_slope(const char* name, Unary op, const TensorPtr& a,
                     TensorPtr (*slope)(const TensorPtr& x)) {
  return record(name, ops::unary(op, a->value), {a}, [&] {
    return [x = Saved(a), slope](const TensorPtr& g, Node&) {
      return Gradients{mul(g, slope(x.tensor()))};
    };
  });
}

TensorPtr erf_slope(const TensorPtr& x) {  // 2 exp(-x²) / sqrt(π)
  return mul(exp(neg(mul(x, x))), Number{2 * kInvRootPi});
}

TensorPtr gelu_slope(const TensorPtr& x) {  // Φ(x) + x φ(x)
  const TensorPtr below =
      mul(add(erf(mul(x, Number{kRootHalf})), Number{1}), Number{0.5});
  const TensorPtr density =
      mul(exp(mul(mul(x, x), Number{-0.5})), Number{kRootHalf * kInvRootPi});
  return add(below, mul(x, density));
}

TensorPtr gelu_tanh_slope(const TensorPtr& x) {
  constexpr double kScale = std::numbers::sqrt2 * kInvRootPi, kCubic = 0.044715;
  const TensorPtr square = mul(x, x);
  const TensorPtr inner =
      mul(mul(x, add(mul(square, Number{kCubic}), Number{1})), Number{kScale});
  const TensorPtr t = tanh(inner);
  const TensorPtr inner_slope =
      mul(add(mul(square, Number{3 * kCubic}), Number{1}), Number{kScale});
  const TensorPtr rest = mul(mul(x, sub(Number{1}, mul(t, t))), inner_slope);
  return mul(add(add(t, Number{1}), rest), Number{0.5});
}

TensorPtr silu_slope(const TensorPtr& x) {  // s (1 + x (1 - s))
  const TensorPtr s = sigmoid(x);
  return mul(s, add(mul(x, sub(Number{1}, s)), Number{1}));
}

}  // namespace

TensorPtr erf(const TensorPtr& a) {
  return with_slope("erf", Unary::Erf, a, erf_slope);
}

TensorPtr gelu(const TensorPtr& a) {
  return with_slope("gelu", Unary::Gelu, a, gelu_slope);
}

TensorPtr gelu_tanh(const TensorPtr& a) {
  return with_slope("gelu", Unary::GeluTanh, a, gelu_tanh_slope);
}

TensorPtr silu(const TensorPtr& a) {
  return with_slope("silu", Unary::Silu, a, silu_slope);
}

}  // namespace minitorch::autograd
