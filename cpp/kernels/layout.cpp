#include "kernels/layout.h"

#include <limits>

#include "base/error.h"
#include "base/text.h"

namespace minitorch::kernels {
namespace {

using Dims = std::vector<int64_t>;

// Dimension d + 1 continues dimension d when stepping d once equals walking d + 1
// through.
bool continues(const std::vector<Dims>& strides, const Dims& shape, size_t outer) {
  for (const Dims& steps : strides) {
    if (steps[outer] != steps[outer + 1] * shape[outer + 1]) return false;
  }
  return true;
}

void drop_ones(Dims& shape, std::vector<Dims>& strides) {
  for (size_t d = shape.size(); d-- > 0;) {
    if (shape[d] != 1) continue;
    shape.erase(shape.begin() + d);
    for (Dims& steps : strides) steps.erase(steps.begin() + d);
  }
}

void merge_neighbours(Dims& shape, std::vector<Dims>& strides) {
  for (size_t d = shape.size(); d-- > 1;) {
    if (!continues(strides, shape, d - 1)) continue;
    shape[d - 1] *= shape[d];
    shape.erase(shape.begin() + d);
    for (Dims& steps : strides) steps.erase(steps.begin() + (d - 1));
  }
}

bool is_flat(const Dims& shape, const std::vector<Dims>& strides) {
  if (shape.empty()) return true;
  if (shape.size() > 1) return false;
  for (const Dims& steps : strides) {
    if (steps[0] != 1) return false;
  }
  return true;
}

}  // namespace

Walk merge_dims(std::span<const int64_t> shape,
                std::span<const std::span<const int64_t>> strides) {
  Dims sizes(shape.begin(), shape.end());
  std::vector<Dims> steps;
  for (auto array : strides) steps.emplace_back(array.begin(), array.end());
  Walk walk;
  for (int64_t size : sizes) walk.size *= size;
  drop_ones(sizes, steps);
  merge_neighbours(sizes, steps);
  if (sizes.size() > kMaxDims) {
    throw base::ValueError("kernels",
                           base::text("got an array walked along ", sizes.size(),
                                      " separate dimensions; need at most ", kMaxDims,
                                      ". Make it contiguous() first."));
  }
  const bool flat = is_flat(sizes, steps);
  walk.dims = flat ? 0 : static_cast<int>(sizes.size());
  for (int d = 0; d < kMaxDims; ++d) {
    walk.shape.size[d] = d < walk.dims ? sizes[d] : 1;
  }
  for (const Dims& array : steps) {
    Strides& out = walk.strides.emplace_back();
    for (int d = 0; d < kMaxDims; ++d) out.step[d] = d < walk.dims ? array[d] : 0;
  }
  return walk;
}

bool fits_int32(const Walk& walk) {
  // A margin of one block, because the last block computes positions past the end.
  constexpr int64_t kLimit = std::numeric_limits<int32_t>::max() - 4096;
  if (walk.size > kLimit) return false;
  for (const Strides& strides : walk.strides) {
    int64_t reach = 0;
    for (int d = 0; d < walk.dims; ++d) {
      const int64_t step = strides.step[d] < 0 ? -strides.step[d] : strides.step[d];
      reach += step * (walk.shape.size[d] - 1);
    }
    if (reach > kLimit) return false;
  }
  return true;
}

}  // namespace minitorch::kernels
