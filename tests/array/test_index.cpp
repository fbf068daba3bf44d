// The tests of indexing with positions, ranges and new dimensions.
#include "array/index.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace minitorch::array {
namespace {

using Kind = IndexPart::Kind;

Array matrix() {  // (3, 4), row-major
  return Array(Dtype::Float64, Shape{3, 4}, Storage::host(3 * 4 * 8));
}

TEST(Index, PartsMakeAView) {
  const Array a = matrix();
  const Array view =
      index(a, {{Kind::Range, 2, 2, -2}, {Kind::New}, {Kind::At, 1, 1, 1}});
  EXPECT_EQ(view.shape(), (Shape{2, 1}));
  EXPECT_EQ(view.strides()[0], -8);
  EXPECT_EQ(view.offset(), 2 * 4 + 1);
  EXPECT_EQ(view.storage(), a.storage());
}

TEST(Index, DimensionsBeyondThePartsStayWhole) {
  const Array view = index(matrix(), {{Kind::At, 2, 1, 1}});
  EXPECT_EQ(view.shape(), (Shape{4}));
  EXPECT_EQ(view.offset(), 8);
}

TEST(Index, AnEmptyRangeHasNoPlace) {
  const Array view = index(matrix(), {{Kind::Range, 99, 0, 1}});
  EXPECT_EQ(view.shape(), (Shape{0, 4}));
  EXPECT_EQ(view.offset(), 0);
}

TEST(Index, PositionsOutsideAreRefused) {
  const Array a = matrix();
  EXPECT_THROW(index(a, {{Kind::At, 3, 1, 1}}), base::IndexError);
  EXPECT_THROW(index(a, {{Kind::At, -1, 1, 1}}), base::IndexError);
  EXPECT_THROW(index(a, {{Kind::Range, 1, 2, 2}}), base::IndexError);
  EXPECT_THROW(index(a, {{Kind::Range, 0, 2, -1}}), base::IndexError);
  EXPECT_THROW(index(a, {{Kind::At}, {Kind::At}, {Kind::At}}), base::IndexError);
}

}  // namespace
}  // namespace minitorch::array
