// Holds merge_dims to hand-computed walks; runs no kernel.
#include <gtest/gtest.h>

#include "base/error.h"
#include "kernels/layout.h"

namespace minitorch::kernels {
namespace {

using Dims = std::vector<int64_t>;

Walk merge(const Dims& shape, const std::vector<Dims>& strides) {
  std::vector<std::span<const int64_t>> spans(strides.begin(), strides.end());
  return merge_dims(shape, spans);
}

// Every offset of a walk, computed as the kernels do: peel coordinates off the
// position.
Dims offsets(const Walk& walk, const Strides& strides) {
  Dims all;
  for (int64_t i = 0; i < walk.size; ++i) {
    int64_t position = i, offset = walk.dims == 0 ? i : 0;
    for (int d = walk.dims - 1; d >= 0; --d) {
      offset += position % walk.shape.size[d] * strides.step[d];
      position /= walk.shape.size[d];
    }
    all.push_back(offset);
  }
  return all;
}

TEST(MergeDims, ContiguousArraysAreWalkedInStorageOrder) {
  const Walk walk = merge({4, 1, 3}, {{3, 3, 1}, {3, 99, 1}});
  EXPECT_EQ(walk.dims, 0);
  EXPECT_EQ(walk.size, 12);
}

TEST(MergeDims, ScalarsAndSingleElementsAreFlat) {
  EXPECT_EQ(merge({}, {{}}).dims, 0);
  EXPECT_EQ(merge({}, {{}}).size, 1);
  EXPECT_EQ(merge({1, 1}, {{7, 5}}).dims, 0);
}

TEST(MergeDims, TransposeKeepsTwoDimensions) {
  const Walk walk = merge({2, 3}, {{1, 2}});
  EXPECT_EQ(walk.dims, 2);
  EXPECT_EQ(offsets(walk, walk.strides[0]), (Dims{0, 2, 4, 1, 3, 5}));
}

TEST(MergeDims, BroadcastRowMergesTheOuterDimensions) {
  const Walk walk = merge({2, 2, 3}, {{6, 3, 1}, {0, 0, 1}});
  EXPECT_EQ(walk.dims, 2);
  EXPECT_EQ(offsets(walk, walk.strides[0]),
            (Dims{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(offsets(walk, walk.strides[1]), (Dims{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2}));
}

TEST(MergeDims, WhollyBroadcastScalarStaysOneDimension) {
  const Walk walk = merge({2, 3}, {{3, 1}, {0, 0}});
  EXPECT_EQ(walk.dims, 1);
  EXPECT_EQ(offsets(walk, walk.strides[1]), (Dims{0, 0, 0, 0, 0, 0}));
}

TEST(MergeDims, EmptyArraysHaveNoWork) { EXPECT_EQ(merge({3, 0}, {{0, 1}}).size, 0); }

TEST(MergeDims, RefusesMoreDimensionsThanAKernelWalks) {
  const Dims shape(9, 2);
  Dims strides;
  for (int64_t d = 0; d < 9; ++d) strides.push_back(int64_t{1} << d);  // all reversed
  EXPECT_THROW(merge(shape, {strides}), base::ValueError);
}

TEST(FitsInt32, LooksAtSizesAndOffsets) {
  EXPECT_TRUE(fits_int32(merge({1000, 1000}, {{1, 1000}})));
  EXPECT_FALSE(fits_int32(merge({int64_t{1} << 31}, {{1}})));
  EXPECT_FALSE(fits_int32(merge({3, 2}, {{int64_t{1} << 31, 1}})));
}

}  // namespace
}  // namespace minitorch::kernels
