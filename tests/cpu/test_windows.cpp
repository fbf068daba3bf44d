// Holds the copies between an image and its windows to their definition; multiplies
// nothing.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "cpu/windows.h"

namespace minitorch::cpu {
namespace {

using kernels::SlidingAxis;

int64_t windows_of(int64_t size, const SlidingAxis& a, int64_t after) {
  return (size + a.before + after - a.dilation * (a.kernel - 1) - 1) / a.stride + 1;
}

TEST(Windows, AreWrittenTapByTap) {
  // 1 2 3
  // 4 5 6   with windows of 2 x 2 and one column of padding on the left
  const std::vector<double> image{1, 2, 3, 4, 5, 6};
  const SlidingAxis rows{2, 1, 2, 1, 0, 1}, columns{3, 3, 2, 1, 1, 1};
  std::vector<double> matrix(4 * 3);
  unfold(image.data(), 1, rows, columns, matrix.data(), 3);
  EXPECT_EQ(matrix, (std::vector<double>{0, 1, 2, 1, 2, 3, 0, 4, 5, 4, 5, 6}));
}

TEST(Windows, FoldIsTheAdjointOfUnfold) {
  for (int64_t stride : {1, 2, 3}) {
    for (int64_t before : {0, 2, 5}) {
      for (int64_t dilation : {1, 2, 4}) {
        SlidingAxis rows{5, 0, 2, stride, before, dilation};
        SlidingAxis columns{7, 0, 3, 1, before, dilation};
        rows.count = windows_of(5, rows, 4);
        columns.count = windows_of(7, columns, 4);
        const int64_t count = rows.count * columns.count, step = count + 3;
        std::vector<float> image(2 * 35), back(2 * 35, 0.0f);
        std::iota(image.begin(), image.end(), 1.0f);
        std::vector<float> windows(static_cast<size_t>(12 * step), 0.0f);
        std::vector<float> weights(windows.size());
        for (size_t i = 0; i < weights.size(); ++i)
          weights[i] = static_cast<float>(i % 5) - 2.0f;
        unfold(image.data(), 2, rows, columns, windows.data(), step);
        fold(weights.data(), step, 2, rows, columns, back.data());
        double left = 0, right = 0;
        for (int64_t tap = 0; tap < 12; ++tap) {
          for (int64_t i = tap * step; i < tap * step + count; ++i)
            left += windows[static_cast<size_t>(i)] * weights[static_cast<size_t>(i)];
        }
        for (size_t i = 0; i < image.size(); ++i) right += image[i] * back[i];
        EXPECT_EQ(left, right) << stride << " " << before << " " << dilation;
      }
    }
  }
}

}  // namespace
}  // namespace minitorch::cpu
