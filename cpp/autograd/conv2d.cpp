#include "autograd/conv2d.h"

#include "autograd/layout.h"
#include "autograd/node.h"
#include "base/error.h"
#include "base/text.h"
#include "runtime/recorder.h"

namespace minitorch::autograd {
namespace {

using ops::ConvOptions;

/// (n, outputs, rows, columns) -> (outputs,)
TensorPtr gradient_of_bias(const TensorPtr& g) {
  const int64_t outputs = g->value.shape()[1];
  return reshape(sum_to(g, array::Shape{1, outputs, 1, 1}), array::Shape{outputs});
}

}  // namespace

TensorPtr conv2d(const TensorPtr& x, const TensorPtr& w, const TensorPtr& bias,
                 const ConvOptions& options) {
  const runtime::OpScope scope("conv2d", {&x->value, &w->value, array_of(bias)});
  array::Array out =
      ops::conv2d(x->value, w->value, bias ? bias->value : array::Array(), options);
  return record("conv2d", std::move(out), {x, w, bias}, [&] {
    const bool of_x = requires_gradient(x), of_w = requires_gradient(w),
               of_bias = bias && requires_gradient(bias);
    return [=, input = of_w ? Saved(x) : Saved(), weight = of_x ? Saved(w) : Saved(),
            x_shape = x->value.shape(),
            w_shape = w->value.shape()](const TensorPtr& g, Node&) {
      return Gradients{
          of_x ? conv2d_grad_input(g, weight.tensor(), x_shape, options) : nullptr,
          of_w ? conv2d_grad_weight(g, input.tensor(), w_shape, options) : nullptr,
          of_bias ? gradient_of_bias(g) : nullptr};
    };
  });
}

TensorPtr conv2d_grad_input(const TensorPtr& g, const TensorPtr& w,
                            const array::Shape& input, const ConvOptions& options) {
  const runtime::OpScope scope("conv2d_grad_input", {&g->value, &w->value});
  array::Array out = ops::conv2d_grad_input(g->value, w->value, input, options);
  return record("conv2d_grad_input", std::move(out), {g, w}, [&] {
    const bool of_g = requires_gradient(g), of_w = requires_gradient(w);
    return [=, gradient = of_w ? Saved(g) : Saved(), weight = of_g ? Saved(w) : Saved(),
            w_shape = w->value.shape()](const TensorPtr& u, Node&) {
      return Gradients{
          of_g ? conv2d(u, weight.tensor(), nullptr, options) : nullptr,
          of_w ? conv2d_grad_weight(gradient.tensor(), u, w_shape, options) : nullptr};
    };
  });
}

TensorPtr conv2d_grad_weight(const TensorPtr& g, const TensorPtr& x,
                             const array::Shape& weight, const ConvOptions& options) {
  const runtime::OpScope scope("conv2d_grad_weight", {&g->value, &x->value});
  array::Array out = ops::conv2d_grad_weight(g->value, x->value, weight, options);
  return record("conv2d_grad_weight", std::move(out), {g, x}, [&] {
    const bool of_g = requires_gradient(g), of_x = requires_gradient(x);
    return [=, gradient = of_x ? Saved(g) : Saved(), input = of_g ? Saved(x) : Saved(),
            x_shape = x->value.shape()](const TensorPtr& u, Node&) {
      return Gradients{
          of_g ? conv2d(input.tensor(), u, nullptr, options) : nullptr,
          of_x ? conv2d_grad_input(gradient.tensor(), u, x_shape, options) : nullptr};
    };
  });
}

TensorPtr conv1d(const TensorPtr& x, const TensorPtr& w, const TensorPtr& bias,
                 const ConvOptions& options) {
  const runtime::OpScope scope("conv1d", {&x->value, &w->value, array_of(bias)});
  if (x->value.dims() != 3 || w->value.dims() != 3) {
    throw base::ValueError(
        options.where, base::text("got x ", base::tuple_text(x->value.shape()),
                                  " and weight ", base::tuple_text(w->value.shape()),
                                  "; need x (n, channels, length) and weight (outputs, "
                                  "channels / groups, kernel)."));
  }
  // (n, channels, length) -> (n, channels, 1, length)
  return squeeze(conv2d(unsqueeze(x, 2), unsqueeze(w, 2), bias, options), 2);
}

}  // namespace minitorch::autograd
