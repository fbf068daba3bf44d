// The tests of the ops on the host: dtypes, shapes, devices, exact messages. Values
// over random shapes are compared with NumPy in tests/python.
#include <gtest/gtest.h>

#include "base/error.h"
#include "ops/create.h"
#include "ops/elementwise.h"
#include "ops/layout.h"
#include "ops/matmul.h"
#include "ops/random.h"
#include "ops/reduce.h"
#include "ops/softmax.h"
#include "ops/transfer.h"

namespace minitorch::ops {
namespace {

using array::Array;
using array::Device;
using array::Dtype;
using array::Shape;
using cpu::Binary;
using cpu::Reduce;
using cpu::Unary;

Array counted(const Shape& shape, Dtype dtype = Dtype::Float64) {
  return reshape(arange(0, 1, element_count(shape, "test"), dtype, Device::Cpu), shape);
}

std::vector<double> values(const Array& a) {
  const Array plain = contiguous(cast(a, Dtype::Float64));
  return {plain.data<double>(), plain.data<double>() + plain.size()};
}

template <class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const base::Error& error) {
    return error.what();
  }
  return "no error";
}

using Values = std::vector<double>;

TEST(Binary, PromotesAndBroadcasts) {
  const Array sum =
      binary(Binary::Add, counted({2, 1}, Dtype::Int32), counted({3}, Dtype::Float32));
  EXPECT_EQ(sum.dtype(), Dtype::Float64);
  EXPECT_EQ(sum.shape(), (Shape{2, 3}));
  EXPECT_EQ(values(sum), (Values{0, 1, 2, 1, 2, 3}));
}

TEST(Binary, ANumberTakesTheDtypeOfTheArray) {
  const Array counts = counted({3}, Dtype::Int32);
  EXPECT_EQ(binary(Binary::Mul, counts, Number{2}).dtype(), Dtype::Int32);
  EXPECT_EQ(values(binary(Binary::Mul, counts, Number{2})), (Values{0, 2, 4}));
  EXPECT_EQ(binary(Binary::Mul, counts, Number{0.5}).dtype(), Dtype::Float64);
  EXPECT_EQ(values(binary(Binary::Sub, Number{1}, counts)), (Values{1, 0, -1}));
  const Array half = full({1}, 1, Dtype::Float32, Device::Cpu);
  EXPECT_EQ(values(binary(Binary::Mul, half, Number{0.1})), (Values{0.1f}));
  EXPECT_EQ(
      message_of([&] { binary(Binary::Add, counted({1}, Dtype::UInt8), Number{300}); }),
      "[add] a tensor of uint8 cannot hold 300. Try .to(\"float64\").");
}

TEST(Compare, OrderIsOnesAndZeros) {
  const Array counts = counted({3}, Dtype::Float32);
  EXPECT_EQ(order(cpu::Compare::Greater, counts, Number{0}).dtype(), Dtype::Float32);
  EXPECT_EQ(values(order(cpu::Compare::Greater, counts, Number{0})), (Values{0, 1, 1}));
  EXPECT_EQ(order(cpu::Compare::Less, counted({2}, Dtype::Int64), Number{1}).dtype(),
            Dtype::Float64);
}

TEST(Binary, DividesIntegersAsReals) {
  const Array one = full({}, 1, Dtype::Int64, Device::Cpu);
  const Array two = full({}, 2, Dtype::Int64, Device::Cpu);
  EXPECT_EQ(binary(Binary::Div, one, two).dtype(), Dtype::Float64);
  EXPECT_EQ(item(binary(Binary::Div, one, two)), 0.5);
  EXPECT_EQ(binary(Binary::Add, one, two).dtype(), Dtype::Int64);
}

TEST(Binary, NumbersTakeTheDtypeOfTheArray) {
  EXPECT_EQ(beside(counted({2}, Dtype::Float32), 0.1, "add").dtype(), Dtype::Float32);
  EXPECT_EQ(beside(counted({2}, Dtype::Int64), 2, "add").dtype(), Dtype::Int64);
  EXPECT_EQ(beside(counted({2}, Dtype::Int64), 2.0, "add").dtype(), Dtype::Float64);
  EXPECT_EQ(beside(counted({2}, Dtype::UInt8), 300, nullptr).dtype(), Dtype::Float64);
  EXPECT_EQ(message_of([&] { beside(counted({2}, Dtype::UInt8), 300, "add"); }),
            "[add] a tensor of uint8 cannot hold 300. Try .to(\"float64\").");
}

TEST(Binary, SaysWhichDtypeHasNoArithmetic) {
  const Array bits = cast(counted({2}), Dtype::Bool);
  EXPECT_EQ(message_of([&] { binary(Binary::Sub, bits, bits); }),
            "[sub] got bool; need a number. Try ^ or .to(\"int64\").");
}

TEST(Unary, TakesIntegersWhereRealNumbersAreNeeded) {
  EXPECT_EQ(unary(Unary::Exp, counted({2}, Dtype::Int32)).dtype(), Dtype::Float64);
  EXPECT_EQ(unary(Unary::Neg, counted({2}, Dtype::Int32)).dtype(), Dtype::Int32);
}

TEST(Reduce, KeepsTheDimension) {
  EXPECT_EQ(reduce(Reduce::Sum, counted({2, 3}), 0).shape(), (Shape{1, 3}));
  EXPECT_EQ(values(reduce(Reduce::Sum, counted({2, 3}), -1)), (Values{3, 12}));
  EXPECT_EQ(values(reduce_all(Reduce::Max, counted({2, 3}))), (Values{5}));
  EXPECT_EQ(values(reduce(Reduce::Sum, counted({0, 2}), 0)), (Values{0, 0}));
  EXPECT_EQ(message_of([] { reduce(Reduce::Max, counted({0, 2}), 0); }),
            "[max] got shape (0, 2); need at least one element along dim 0.");
}

TEST(Reduce, SumToUndoesExpand) {
  EXPECT_EQ(values(sum_to(counted({2, 3}), {1, 3})), (Values{3, 5, 7}));
  EXPECT_EQ(values(sum_to(counted({2, 3}), {})), (Values{15}));
  EXPECT_EQ(sum_to(counted({4, 2, 3}), {2, 1}).shape(), (Shape{2, 1}));
}

TEST(Layout, ReshapeCopiesOnlyWhereItMust) {
  const Array a = counted({2, 3});
  EXPECT_EQ(reshape(a, {3, -1}).storage(), a.storage());
  const Array turned = reshape(a.permute({1, 0}), {6});
  EXPECT_NE(turned.storage(), a.storage());
  EXPECT_EQ(values(turned), (Values{0, 3, 1, 4, 2, 5}));
}

TEST(Matmul, SaysWhatDoesNotFit) {
  EXPECT_EQ(message_of([] { matmul(counted({2, 3}), counted({4, 5})); }),
            "[matmul] a is (2, 3), b is (4, 5): inner sizes differ (3 vs 4).");
  EXPECT_EQ(message_of([] { matmul(counted({2, 3}), counted({4, 3})); }),
            "[matmul] a is (2, 3), b is (4, 3): inner sizes differ (3 vs 4). Try "
            "b.permute(1, 0).");
  EXPECT_EQ(message_of([] { matmul(counted({3}), counted({3, 2})); }),
            "[matmul] a is (3,), b is (3, 2); need at least 2 dimensions each.");
}

TEST(Softmax, StaysFiniteForLargeValues) {
  const Array x =
      binary(Binary::Mul, counted({1, 3}), beside(counted({1}), 1000, "mul"));
  EXPECT_EQ(values(softmax(cpu::Softmax::Logarithm, x, 1)), (Values{-2000, -1000, 0}));
}

TEST(OneHot, MarksTheLabelAndRefusesOthers) {
  const Array labels = counted({3}, Dtype::Int64);
  EXPECT_EQ(values(one_hot(labels, 3, Dtype::Float32, "t")),
            (Values{1, 0, 0, 0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(message_of([&] { one_hot(labels, 2, Dtype::Float32, "nll_loss"); }),
            "[nll_loss] got label 2 at index 2; need 0 to 1.");
}

TEST(Random, SeedDecidesTheNumbers) {
  manual_seed(5);
  const auto first = values(rand({3}, Dtype::Float64, Device::Cpu));
  const auto next = values(rand({3}, Dtype::Float64, Device::Cpu));
  manual_seed(5);
  EXPECT_EQ(values(rand({3}, Dtype::Float64, Device::Cpu)), first);
  EXPECT_NE(first, next);
  EXPECT_THROW(rand({3}, Dtype::Int64, Device::Cpu), base::TypeError);
}

TEST(Item, NeedsOneElement) {
  EXPECT_EQ(message_of([] { item(counted({2})); }),
            "[item] got shape (2,); need exactly one element.");
}

}  // namespace
}  // namespace minitorch::ops
