// The tests of in-place changes, hooks and gradients as values in C++, where sanitizers
// see them. What they compute is compared in tests/python.
#include "autograd/inplace.h"

#include <gtest/gtest.h>

#include "autograd/anomaly.h"
#include "autograd/elementwise.h"
#include "autograd/engine.h"
#include "autograd/layout.h"
#include "autograd/node.h"
#include "autograd/reduce.h"
#include "base/error.h"
#include "ops/create.h"
#include "ops/layout.h"
#include "ops/transfer.h"

namespace minitorch::autograd {
namespace {

using array::Device;
using array::Dtype;

/// 0, 1, …, of that shape.
TensorPtr counting_leaf(const array::Shape& shape) {
  const array::Array flat =
      ops::arange(Number{0}, Number{1}, array::element_count(shape, "test"),
                  Dtype::Float64, Device::Cpu);
  return make_tensor(ops::reshape(flat, shape), true);
}

std::vector<double> numbers(const TensorPtr& a) {
  const array::Array row = ops::contiguous(a->value);
  return {row.data<double>(), row.data<double>() + row.size()};
}

TEST(InPlace, GradientsFollowAViewAndItsSiblings) {
  const TensorPtr x = counting_leaf({2, 3});
  const TensorPtr y = add(x, Number{0});
  const TensorPtr column = slice(permute(y, {1, 0}), 0, 1, 2, 1);  // (1, 2)
  const TensorPtr row = slice(y, 0, 1, 2, 1);                      // (1, 3)
  binary_in_place(cpu::Binary::Mul, column, Number{10}, "mul_");
  EXPECT_EQ(numbers(row), (std::vector<double>{3, 40, 5}));
  backward(sum(row, std::nullopt), nullptr, {});
  EXPECT_EQ(numbers(x->grad), (std::vector<double>{0, 0, 0, 1, 10, 1}));
}

TEST(InPlace, RegionsOfALaidOutBackwardsBase) {
  // A base that another library might lend: its rows in reverse.
  const array::Array memory =
      ops::arange(Number{0}, Number{1}, 6, Dtype::Float64, Device::Cpu);
  const TensorPtr base = make_tensor(
      array::Array(Dtype::Float64, {2, 3}, array::Strides{-3, 1}, 3, memory.storage()));
  const TensorPtr value = counting_leaf({3});
  assign_view(slice(base, 0, 1, 2, 1), value, "copy_");  // elements 0 to 2 of memory
  backward(sum(mul(base, base), std::nullopt), nullptr, {});
  EXPECT_EQ(numbers(value->grad), (std::vector<double>{0, 2, 4}));
}

TEST(InPlace, AManyTimesChangedTensorIsFreedWithoutRecursion) {
  const TensorPtr x = counting_leaf({4});
  TensorPtr y = add(x, Number{0});
  const TensorPtr part = slice(y, 0, 0, 2, 1);
  for (int i = 0; i < 20000; ++i) {
    binary_in_place(cpu::Binary::Add, part, Number{1}, "add_");
  }
  backward(sum(y, std::nullopt), nullptr, {.retain_graph = true});
  EXPECT_EQ(numbers(x->grad), (std::vector<double>{1, 1, 1, 1}));
  EXPECT_EQ(numbers(y)[1], 20001);
}

TEST(InPlace, RefusesWhatGradientsCouldNotFollow) {
  const TensorPtr x = counting_leaf({3});
  EXPECT_THROW(fill_in_place(x, Number{1}, "fill_"), base::StateError);
  EXPECT_THROW(fill_in_place(slice(x, 0, 0, 1, 1), Number{1}, "fill_"),
               base::StateError);
  const TensorPtr wide =
      expand(make_tensor(ops::full({1}, 0, Dtype::Float64, Device::Cpu)), {3});
  EXPECT_THROW(fill_in_place(wide, Number{1}, "fill_"), base::ValueError);
  const TensorPtr y = exp(x);
  fill_in_place(y, Number{0}, "fill_");
  const TensorPtr z = mul(x, x);
  x->value.storage()->mark_changed();
  EXPECT_THROW(backward(sum(z, std::nullopt), nullptr, {}), base::StateError);
}

class Doubling final : public Hook {
 public:
  TensorPtr operator()(const TensorPtr& gradient) override {
    return mul(gradient, Number{2});
  }
};

TEST(Hooks, ReplaceTheGradientAndKeepIt) {
  const TensorPtr x = counting_leaf({2});
  const TensorPtr y = mul(x, Number{3});
  const auto hooks = hooks_of(y, "test");
  hooks->list.emplace_back(hooks->next++, std::make_shared<Doubling>());
  retain_grad(y);
  backward(sum(y, std::nullopt), nullptr, {});
  EXPECT_EQ(numbers(y->grad), (std::vector<double>{2, 2}));
  EXPECT_EQ(numbers(x->grad), (std::vector<double>{6, 6}));
}

TEST(Gradients, AreGivenForInnerTensorsAndLeaveTheRestAlone) {
  const TensorPtr x = counting_leaf({2}), unused = counting_leaf({2});
  const TensorPtr y = mul(x, x);
  const auto found = gradients({{sum(mul(y, y), std::nullopt), nullptr}},
                               {y, x, unused}, {.retain_graph = true});
  EXPECT_EQ(numbers(found[0]), (std::vector<double>{0, 2}));  // 2 y
  EXPECT_EQ(numbers(found[1]), (std::vector<double>{0, 4}));  // 4 x³
  EXPECT_EQ(found[2], nullptr);
  EXPECT_EQ(x->grad, nullptr);
}

TEST(Anomaly, NamesTheOpThatGaveNan) {
  const TensorPtr x = counting_leaf({2});
  const TensorPtr y = mul(sqrt(x), Number{0});
  const bool before = set_anomaly_mode(true);
  try {
    backward(sum(y, std::nullopt), nullptr, {});
    ADD_FAILURE() << "no error";
  } catch (const base::StateError& error) {
    EXPECT_NE(std::string(error.what()).find("NaN from sqrt"), std::string::npos);
  }
  set_anomaly_mode(before);
}

}  // namespace
}  // namespace minitorch::autograd
