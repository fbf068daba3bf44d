// The tests of shape arithmetic: broadcasting, strides, sizes.
#include "array/shape.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace minitorch::array {
namespace {

template <class Error, class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Shape, BroadcastsAsNumPyDoes) {
  EXPECT_EQ(broadcast_shapes({3, 1}, {4}, "add"), (Shape{3, 4}));
  EXPECT_EQ(broadcast_shapes({}, {2, 3}, "add"), (Shape{2, 3}));
  EXPECT_EQ(broadcast_shapes({0}, {1}, "add"), (Shape{0}));
  EXPECT_EQ(broadcast_shapes({5, 1, 4}, {3, 1}, "add"), (Shape{5, 3, 4}));
}

TEST(Shape, SaysWhichSizesDoNotBroadcast) {
  EXPECT_EQ(
      message_of<base::ValueError>([] { broadcast_shapes({2, 3}, {4}, "add"); }),
      "[add] shapes (2, 3) and (4,) cannot be broadcast: dimension -1 has sizes 3 "
      "and 4; they must be equal, or one of them 1.");
}

TEST(Shape, CountsElements) {
  EXPECT_EQ(element_count({2, 3, 4}, "t"), 24);
  EXPECT_EQ(element_count({}, "t"), 1);
  EXPECT_EQ(element_count({1 << 30, 0, 1 << 30, 1 << 30}, "t"), 0);
}

TEST(Shape, RefusesSizesThatCannotBe) {
  EXPECT_EQ(message_of<base::ValueError>([] { element_count({2, -1}, "zeros"); }),
            "[zeros] got shape (2, -1); need sizes of 0 or more.");
  EXPECT_THROW(element_count({1 << 30, 1 << 30, 1 << 30}, "zeros"), base::ValueError);
  EXPECT_EQ(message_of<base::ValueError>([] { element_count(Shape(33, 1), "zeros"); }),
            "[zeros] got 33 dimensions; need at most 32.");
}

TEST(Shape, StridesAreRowMajor) {
  EXPECT_EQ(contiguous_strides({2, 3, 4}), (Strides{12, 4, 1}));
  EXPECT_EQ(contiguous_strides({}), Strides{});
}

TEST(Shape, CountsDimsFromEitherEnd) {
  EXPECT_EQ(normalise_dim(-1, 3, "sum"), 2u);
  EXPECT_EQ(normalise_dim(0, 3, "sum"), 0u);
  EXPECT_EQ(message_of<base::IndexError>([] { normalise_dim(3, 3, "sum"); }),
            "[sum] got dim 3; need -3 to 2 for 3 dimensions.");
  EXPECT_THROW(normalise_dim(0, 0, "sum"), base::IndexError);
}

TEST(Shape, InfersOneSize) {
  EXPECT_EQ(infer_shape({-1, 4}, 12, "reshape"), (Shape{3, 4}));
  EXPECT_EQ(infer_shape({12}, 12, "reshape"), (Shape{12}));
  EXPECT_EQ(message_of<base::ValueError>([] { infer_shape({-1, 5}, 12, "reshape"); }),
            "[reshape] shape (-1, 5) does not fit a tensor of 12 elements.");
  EXPECT_THROW(infer_shape({-1, -1}, 12, "reshape"), base::ValueError);
  EXPECT_THROW(infer_shape({-1, 0}, 0, "reshape"), base::ValueError);
}

TEST(Dims, KeepMoreValuesThanFitInPlace) {
  Dims dims;
  for (int64_t i = 0; i < 12; ++i) dims.push_back(i * i);
  const Dims copy = dims;
  ASSERT_EQ(copy.size(), 12u);
  EXPECT_EQ(copy[11], 121);
  EXPECT_EQ(copy, dims);
  EXPECT_NE(copy, Dims(12, 0));
}

}  // namespace
}  // namespace minitorch::array
