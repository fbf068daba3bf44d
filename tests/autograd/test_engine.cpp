// The tests of the engine and of nodes: order, accumulation, freeing, depth, errors.
// Gradients of each op are compared with central differences in tests/python.
#include "autograd/engine.h"

#include <gtest/gtest.h>

#include "autograd/elementwise.h"
#include "autograd/layout.h"
#include "autograd/node.h"
#include "autograd/reduce.h"
#include "base/error.h"
#include "ops/create.h"
#include "ops/transfer.h"

namespace minitorch::autograd {
namespace {

using array::Device;
using array::Dtype;
using array::Shape;

TensorPtr leaf(double value, const Shape& shape = {1}) {
  return make_tensor(ops::full(shape, value, Dtype::Float64, Device::Cpu), true);
}

double item(const TensorPtr& a) { return ops::item(a->value); }

template <class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const base::Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Engine, AddsTheGradientsOfAllPaths) {
  const TensorPtr x = leaf(3);
  const TensorPtr left = mul(x, x), right = mul(x, Number{5});
  backward(add(left, right), nullptr, {});  // d(x² + 5x) = 2x + 5
  EXPECT_EQ(item(x->grad), 11);
}

TEST(Engine, VisitsADiamondOfManyLevelsOncePerNode) {
  TensorPtr y = leaf(1);
  const TensorPtr x = y;
  for (int i = 0; i < 60; ++i) y = add(y, y);  // 2^60 paths, 60 nodes
  backward(y, nullptr, {});
  EXPECT_EQ(item(x->grad), 0x1.0p60);
}

TEST(Engine, AccumulatesOverCalls) {
  const TensorPtr x = leaf(2);
  backward(mul(x, x), nullptr, {});
  backward(mul(x, x), nullptr, {});
  EXPECT_EQ(item(x->grad), 8);
}

TEST(Engine, GoesThroughAMillionNodesAndFreesThem) {
  const TensorPtr x = leaf(1);
  TensorPtr y = x;
  for (int i = 0; i < 1000000; ++i) y = add(y, Number{1});
  const std::weak_ptr<Node> top = y->node;
  backward(y, nullptr, {});
  EXPECT_EQ(item(x->grad), 1);
  y.reset();
  EXPECT_TRUE(top.expired());
}

TEST(Engine, FreesAMillionSavedNodesThatNobodyWentThrough) {
  TensorPtr y = leaf(1);
  for (int i = 0; i < 1000000; ++i) y = mul(y, y);
  const std::weak_ptr<Node> top = y->node;
  y.reset();
  EXPECT_TRUE(top.expired());
}

TEST(Engine, FreesTheLeafWithTheLastReference) {
  TensorPtr x = leaf(2);
  const std::weak_ptr<Tensor> watch = x;
  TensorPtr y = exp(mul(sigmoid(x), x));  // ops that save their own output
  backward(y, nullptr, {.retain_graph = true});
  x.reset();
  EXPECT_FALSE(watch.expired());
  y.reset();
  EXPECT_TRUE(watch.expired());
}

TEST(Engine, RefusesAFreedGraphBeforeAnyLeafChanges) {
  const TensorPtr x = leaf(2), z = leaf(1);
  const TensorPtr shared = mul(x, x);
  const TensorPtr y = add(mul(shared, z), z);
  backward(shared, nullptr, {});
  EXPECT_EQ(message_of([&] { backward(y, nullptr, {}); }),
            "[backward] an earlier backward() freed this graph (at mul). Call that one "
            "with retain_graph=True.");
  EXPECT_EQ(z->grad, nullptr);
}

TEST(Engine, KeepsTheGraphOnRequest) {
  const TensorPtr x = leaf(3);
  const TensorPtr y = mul(x, x);
  backward(y, nullptr, {.retain_graph = true});
  backward(y, nullptr, {});
  EXPECT_EQ(item(x->grad), 12);
}

TEST(Engine, StopsWhenThePollThrows) {
  TensorPtr y = leaf(1);
  for (int i = 0; i < 5000; ++i) y = add(y, Number{1});
  int polls = 0;
  BackwardOptions options;
  options.poll = [&] {
    if (++polls == 3) throw base::StateError("test", "stop");
  };
  EXPECT_THROW(backward(y, nullptr, options), base::StateError);
  EXPECT_EQ(polls, 3);
}

TEST(Engine, DifferentiatesGradients) {
  const TensorPtr x = leaf(2);
  backward(mul(mul(x, x), x), nullptr, {.create_graph = true});
  const TensorPtr first = x->grad;  // 3x²
  EXPECT_EQ(item(first), 12);
  x->grad = nullptr;
  backward(first, nullptr, {});
  EXPECT_EQ(item(x->grad), 12);  // 6x
}

TEST(Engine, SumsGradientsOfBroadcastInputs) {
  const TensorPtr row = leaf(1, {1, 3}), number = leaf(2, {});
  const TensorPtr wide = make_tensor(ops::full({2, 3}, 4, Dtype::Float64, Device::Cpu));
  backward(sum(mul(add(row, wide), number), std::nullopt), nullptr, {});
  EXPECT_EQ(row->grad->value.shape(), (Shape{1, 3}));
  EXPECT_EQ(item(max(row->grad, std::nullopt)), 4);  // two rows of 2
  EXPECT_EQ(number->grad->value.shape(), Shape{});
  EXPECT_EQ(item(number->grad), 30);
}

TEST(Engine, NamesWhatIsMissing) {
  const TensorPtr x = leaf(1, {2});
  EXPECT_EQ(message_of([&] { backward(x, nullptr, {}); }),
            "[backward] a tensor of shape (2,) needs a gradient of that shape; it is 1 "
            "by default for a single element only. Try .sum().backward().");
  EXPECT_EQ(message_of([&] { backward(x, leaf(1, {3}), {}); }),
            "[backward] got a gradient of shape (3,); need (2,).");
  EXPECT_EQ(message_of([&] { backward(detach(x), nullptr, {}); }),
            "[backward] the tensor has no history: it was not computed from a tensor "
            "with requires_grad=True.");
}

TEST(Engine, LeavesOfOneSumDoNotShareMemory) {
  const TensorPtr a = leaf(1), b = leaf(2);
  backward(add(a, b), nullptr, {});
  EXPECT_NE(a->grad->value.storage(), b->grad->value.storage());
}

TEST(GradMode, StopsRecordingOnThisThread) {
  const TensorPtr x = leaf(1);
  {
    GradMode off(false);
    EXPECT_EQ(mul(x, x)->node, nullptr);
    GradMode on(true);
    EXPECT_NE(mul(x, x)->node, nullptr);
  }
  EXPECT_NE(mul(x, x)->node, nullptr);
}

TEST(Tensor, AssignLeavesSavedValuesAsTheyWere) {
  const TensorPtr x = leaf(3);
  const TensorPtr y = mul(x, x);
  assign(x, ops::full({1}, 100, Dtype::Float64, Device::Cpu));
  backward(y, nullptr, {});
  EXPECT_EQ(item(x->grad), 6);
  EXPECT_THROW(assign(x, ops::full({2}, 1, Dtype::Float64, Device::Cpu)),
               base::ValueError);
}

TEST(Tensor, OnlyFloatingLeavesCollectGradients) {
  const TensorPtr labels = make_tensor(ops::full({1}, 1, Dtype::Int64, Device::Cpu));
  EXPECT_THROW(set_requires_grad(labels, true), base::TypeError);
  const TensorPtr made = mul(leaf(1), leaf(1));
  EXPECT_THROW(set_requires_grad(made, false), base::StateError);
}

}  // namespace
}  // namespace minitorch::autograd
