// The tests of arrays and their views.
#include "array/array.h"

#include "array/host_memory.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "base/error.h"

namespace minitorch::array {
namespace {

Array counted(const Shape& shape) {
  const int64_t count = element_count(shape, "test");
  auto storage = Storage::host(static_cast<size_t>(count) * sizeof(double));
  Array out(Dtype::Float64, shape, storage);
  for (int64_t i = 0; i < count; ++i) out.data<double>()[i] = static_cast<double>(i);
  return out;
}

double at(const Array& a, const Dims& index) {
  int64_t offset = 0;
  for (size_t d = 0; d < index.size(); ++d) offset += index[d] * a.strides()[d];
  return a.data<double>()[offset];
}

TEST(Array, HostMemoryIsAlignedAndGivenBack) {
  const size_t before = host_memory().in_use;
  {
    const Array a = counted({3, 5});
    const Array view = a.permute({1, 0});
    EXPECT_EQ(reinterpret_cast<uintptr_t>(a.raw_data()) % 64, 0u);
    EXPECT_EQ(host_memory().in_use, before + 128);  // 15 doubles, in steps of 64 bytes
  }
  EXPECT_EQ(host_memory().in_use, before);
}

TEST(Array, BorrowedMemoryIsLeftToItsOwner) {
  auto owner = std::make_shared<std::vector<double>>(4, 2.5);
  std::weak_ptr<std::vector<double>> watch = owner;
  {
    Array a(Dtype::Float64, {2, 2}, Storage::borrow(owner->data(), 32, owner));
    owner.reset();
    EXPECT_EQ(at(a, {1, 1}), 2.5);
  }
  EXPECT_TRUE(watch.expired());
}

TEST(Array, PermutesWithoutCopying) {
  const Array a = counted({2, 3, 4});
  const Array b = a.permute({2, 0, -2});
  EXPECT_EQ(b.shape(), (Shape{4, 2, 3}));
  EXPECT_EQ(b.storage(), a.storage());
  EXPECT_EQ(at(b, {3, 1, 2}), at(a, {1, 2, 3}));
  EXPECT_FALSE(b.is_contiguous());
  EXPECT_THROW(a.permute({0, 0, 1}), base::ValueError);
  EXPECT_THROW(a.permute({0, 1}), base::ValueError);
  EXPECT_THROW(a.permute({0, 1, 3}), base::IndexError);
}

TEST(Array, ExpandsWithStrideZero) {
  const Array a = counted({3, 1});
  const Array b = a.expand({2, 3, 4});
  EXPECT_EQ(b.strides(), (Strides{0, 1, 0}));
  EXPECT_EQ(at(b, {1, 2, 3}), 2);
  try {
    a.expand({2, 4});
    FAIL();
  } catch (const base::ValueError& error) {
    EXPECT_STREQ(error.what(), "[expand] shape (3, 1) cannot be broadcast to (2, 4).");
  }
}

TEST(Array, ReshapesAViewWhereStridesAllowIt) {
  const Array a = counted({4, 6});
  EXPECT_EQ(at(*a.reshape({2, 2, 6}), {1, 1, 5}), 23);
  // Rows of a sliced matrix are apart, but each row can still be split.
  const Array part = a.slice(1, 0, 4, 1);
  const auto split = part.reshape({4, 2, 2});
  ASSERT_TRUE(split.has_value());
  EXPECT_EQ(at(*split, {3, 1, 0}), at(part, {3, 2}));
  EXPECT_FALSE(part.reshape({16}).has_value());
  EXPECT_FALSE(a.permute({1, 0}).reshape({24}).has_value());
}

TEST(Array, SlicesAsPythonDoes) {
  const Array a = counted({10});
  const Array b = a.slice(0, 1, 8, 3);  // 1, 4, 7
  EXPECT_EQ(b.shape(), (Shape{3}));
  EXPECT_EQ(at(b, {2}), 7);
  EXPECT_EQ(a.slice(0, -3, 100, 1).shape(), (Shape{3}));
  EXPECT_EQ(a.slice(0, 5, 2, 1).size(), 0);
  EXPECT_THROW(a.slice(0, 0, 5, 0), base::ValueError);
}

TEST(Array, SelectsFromEitherEnd) {
  const Array a = counted({3, 4});
  EXPECT_EQ(at(a.select(0, -1), {1}), 9);
  EXPECT_EQ(at(a.select(1, 2), {1}), 6);
  EXPECT_THROW(a.select(0, 3), base::IndexError);
}

TEST(Array, IsContiguousWhateverTheStridesOfSizeOne) {
  const Array a = counted({2, 1, 3});
  EXPECT_TRUE(a.is_contiguous());
  EXPECT_TRUE(a.permute({1, 0, 2}).is_contiguous());
  EXPECT_TRUE(a.slice(0, 0, 0, 1).is_contiguous());
  EXPECT_FALSE(a.slice(2, 0, 3, 2).is_contiguous());
}

TEST(Dtype, PromotesAsNumPyDoes) {
  EXPECT_EQ(promote(Dtype::Float32, Dtype::Float64), Dtype::Float64);
  EXPECT_EQ(promote(Dtype::Int32, Dtype::Float32), Dtype::Float64);
  EXPECT_EQ(promote(Dtype::UInt8, Dtype::Float32), Dtype::Float32);
  EXPECT_EQ(promote(Dtype::Bool, Dtype::Int32), Dtype::Int32);
  EXPECT_EQ(promote(Dtype::UInt8, Dtype::Int64), Dtype::Int64);
}

TEST(Dtype, ParsesNames) {
  EXPECT_EQ(parse_dtype("int64"), Dtype::Int64);
  EXPECT_THROW(parse_dtype("complex64"), base::TypeError);
  EXPECT_EQ(parse_device("cuda"), Device::Cuda);
  EXPECT_THROW(parse_device("gpu"), base::ValueError);
}

}  // namespace
}  // namespace minitorch::array
