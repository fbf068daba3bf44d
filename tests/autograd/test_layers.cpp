// Holds convolution, pooling and standardising of tensors to sums done by hand; the
// wide comparison with NumPy is Python's (tests/python/test_conv.py and its kin).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "autograd/conv2d.h"
#include "autograd/engine.h"
#include "autograd/pooling.h"
#include "autograd/standardise.h"
#include "base/error.h"
#include "cpu/blas.h"
#include "ops/create.h"

namespace minitorch::autograd {
namespace {

using array::Device;
using array::Dtype;
using array::Shape;

TensorPtr counted(const Shape& shape, bool requires_grad = true) {
  array::Array a = ops::empty(shape, Dtype::Float64, Device::Cpu);
  for (int64_t i = 0; i < a.size(); ++i) a.data<double>()[i] = static_cast<double>(i);
  return make_tensor(std::move(a), requires_grad);
}

std::vector<double> values(const TensorPtr& a) {
  const double* begin = a->value.data<double>();
  return {begin, begin + a->value.size()};
}

TensorPtr ones_like(const TensorPtr& a) {
  return make_tensor(ops::full(a->value.shape(), 1, Dtype::Float64, Device::Cpu));
}

bool have_blas() {
  try {
    cpu::blas();
    return true;
  } catch (const base::StateError&) {
    return false;
  }
}

TEST(Conv2d, SumsWindowsAndSpreadsGradients) {
  if (!have_blas()) GTEST_SKIP() << "no BLAS on this machine";
  const TensorPtr x = counted({1, 1, 3, 3}), w = counted({1, 1, 2, 2});
  const TensorPtr bias = counted({1});
  const TensorPtr out = conv2d(x, w, bias, {});
  // 0·a + 1·b + 2·c + 3·d for the windows (0 1 3 4), (1 2 4 5), (3 4 6 7), (4 5 7 8)
  EXPECT_EQ(values(out), (std::vector<double>{19, 25, 37, 43}));
  backward(out, ones_like(out), {});
  EXPECT_EQ(values(x->grad), (std::vector<double>{0, 1, 1, 2, 6, 4, 2, 5, 3}));
  EXPECT_EQ(values(w->grad), (std::vector<double>{8, 12, 20, 24}));
  EXPECT_EQ(values(bias->grad), (std::vector<double>{4}));
}

TEST(Conv2d, NamesItsCaller) {
  const TensorPtr x = counted({1, 1, 3}), w = counted({1, 1, 4});
  ops::ConvOptions options;
  options.where = "conv1d";
  try {
    conv1d(x, w, nullptr, options);
    FAIL() << "must throw";
  } catch (const base::ValueError& error) {
    EXPECT_EQ(std::string(error.what()).rfind("[conv1d] got windows of 4 cells", 0),
              0u);
  }
}

TEST(Pooling, GivesTheGradientToTheLargestCell) {
  const TensorPtr x = counted({1, 2, 4});
  ops::PoolOptions options{{{2, 2}, {2, 2}}};
  const TensorPtr largest = max_pool2d(x, options), mean = avg_pool2d(x, options);
  EXPECT_EQ(values(largest), (std::vector<double>{5, 7}));
  EXPECT_EQ(values(mean), (std::vector<double>{2.5, 4.5}));
  backward(largest, ones_like(largest), {});
  EXPECT_EQ(values(x->grad), (std::vector<double>{0, 0, 0, 0, 0, 1, 0, 1}));
}

TEST(Standardise, MeansAndVariancesAreThoseOfGroups) {
  const TensorPtr x = counted({2, 2});
  const auto [y, mean, variance] = standardise(x, {{2, 2, 1}, 0, "test"});
  EXPECT_EQ(values(y), (std::vector<double>{-1, -1, 1, 1}));
  EXPECT_EQ(values(mean), (std::vector<double>{1, 2}));
  EXPECT_EQ(values(variance), (std::vector<double>{1, 1}));
  EXPECT_THROW(standardise(x, {{2, 3, 1}, 0, "test"}), base::ValueError);
}

}  // namespace
}  // namespace minitorch::autograd
