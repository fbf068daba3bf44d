#include "autograd/pooling.h"

#include "autograd/node.h"
#include "runtime/recorder.h"

namespace minitorch::autograd {
namespace {

using ops::PoolOptions;

/// Gives each window's gradient to its largest cell, or (`back`) picks those cells.
TensorPtr routed(const TensorPtr& a, const array::Array& at, const array::Shape& input,
                 const PoolOptions& options, bool back) {
  array::Array out = back ? ops::pick(a->value, at, options)
                          : ops::max_pool2d_grad(a->value, at, input, options);
  const char* name = back ? "pick" : "max_pool2d_grad";
  return record(name, std::move(out), {a}, [&] {
    return [=](const TensorPtr& g, Node&) {
      return Gradients{routed(g, at, input, options, !back)};
    };
  });
}

TensorPtr shared_out(const TensorPtr& g, const array::Shape& input,
                     const PoolOptions& options) {
  return record("avg_pool2d_grad", ops::avg_pool2d_grad(g->value, input, options), {g},
                [&] {
                  return [=](const TensorPtr& u, Node&) {
                    return Gradients{avg_pool2d(u, options)};
                  };
                });
}

}  // namespace

TensorPtr max_pool2d(const TensorPtr& x, const PoolOptions& options) {
  const runtime::OpScope scope("max_pool2d", {&x->value});
  ops::MaxPool found = ops::max_pool2d(x->value, options);
  return record("max_pool2d", found.values, {x}, [&] {
    return
        [options, at = found.at, input = x->value.shape()](const TensorPtr& g, Node&) {
          return Gradients{routed(g, at, input, options, false)};
        };
  });
}

TensorPtr avg_pool2d(const TensorPtr& x, const PoolOptions& options) {
  const runtime::OpScope scope("avg_pool2d", {&x->value});
  return record("avg_pool2d", ops::avg_pool2d(x->value, options), {x}, [&] {
    return [options, input = x->value.shape()](const TensorPtr& g, Node&) {
      return Gradients{shared_out(g, input, options)};
    };
  });
}

}  // namespace minitorch::autograd
