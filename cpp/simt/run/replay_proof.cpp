// What is proved of a whole launch from its first block: which bytes its threads use,
// and that none of them race.
#include <algorithm>

#include "simt/run/replay.h"

namespace minitorch::simt {

bool Replay::has_no_gaps(const Touched& touched) const {
  std::vector<std::pair<uint64_t, uint64_t>> runs;
  for (const Warp& warp : resident_->block().warps) {
    const Pattern& pattern = warp.entry.patterns[touched.access->pattern];
    for (uint64_t base : pattern.base) {
      runs.emplace_back(base,
                        base + 15 * uint64_t{pattern.stride} + touched.access->size);
    }
  }
  std::sort(runs.begin(), runs.end());
  uint64_t end = runs[0].second;
  for (const auto& [low, high] : runs) {
    if (low > end) return false;
    end = std::max(end, high);
  }
  return true;
}

bool Replay::has_no_gaps() const {
  return std::all_of(touched_.begin(), touched_.end(),
                     [&](const Touched& touched) { return has_no_gaps(touched); });
}

bool Replay::moves_by(int64_t bytes) const {
  return std::all_of(touched_.begin(), touched_.end(), [&](const Touched& touched) {
    const Coefficients& by = touched.coefficients;
    return by[0] % bytes == 0 && by[1] % bytes == 0 && by[2] % bytes == 0;
  });
}

bool Replay::loads_only_written() const {
  return std::all_of(touched_.begin(), touched_.end(),
                     [](const Touched& touched) { return touched.written; });
}

/// The least and the greatest distance of any block of the grid.
Replay::Interval Replay::distances(const Slopes& slopes) const {
  const base::Dim3 grid = launch_.launch->grid;
  const int64_t at[3] = {x_, y_, z_}, size[3] = {grid.x, grid.y, grid.z};
  Interval sum = {0, 0};
  for (size_t k = 0; k < 3; ++k) {
    const Wide first = slopes[k] * -at[k];
    const Wide last = slopes[k] * (size[k] - 1 - at[k]);
    sum.low += std::min(first, last);
    sum.high += std::max(first, last);
  }
  return sum;
}

/// Whether addresses are linear in all blocks, also those that are not replayed.
bool Replay::is_straight_everywhere() const {
  return std::all_of(
      limits_.begin(), limits_.begin() + static_cast<int64_t>(number_limits_),
      [&](const Limit& limit) { return distances(limit.slopes).high <= limit.margin; });
}

Replay::Interval Replay::in_grid(const Touched& touched) const {
  const Interval away = distances(minus(touched.coefficients, {}));
  return {touched.bytes.low + away.low, touched.bytes.high + away.high};
}

/// Whether no two threads of the launch store to the same byte.
bool Replay::is_tiled(const Touched& store) const {
  std::vector<uint64_t> starts;
  for (const Warp& warp : resident_->block().warps) {
    const Pattern& pattern = warp.entry.patterns[store.access->pattern];
    starts.insert(starts.end(), {pattern.base[0], pattern.base[1]});
  }
  std::sort(starts.begin(), starts.end());
  for (size_t i = 1; i < starts.size(); ++i) {
    if (starts[i] - starts[i - 1] < 16 * uint64_t{store.access->size}) return false;
  }
  const base::Dim3 grid = launch_.launch->grid;
  const int64_t size[3] = {grid.x, grid.y, grid.z};
  Wide extent = store.bytes.high - store.bytes.low;
  for (size_t k = 0; k < 3; ++k) {
    if (size[k] == 1) continue;
    const Wide step = store.coefficients[k] < 0 ? -Wide{store.coefficients[k]}
                                                : Wide{store.coefficients[k]};
    if (step < extent) return false;
    extent += step * (size[k] - 1);
  }
  return true;
}

/// Whether each thread touches with both what it touches with one of them.
bool Replay::are_alike(const Touched& a, const Touched& b) const {
  if (a.coefficients != b.coefficients || a.access->size != b.access->size)
    return false;
  for (const Warp& warp : resident_->block().warps) {
    const Pattern& one = warp.entry.patterns[a.access->pattern];
    const Pattern& two = warp.entry.patterns[b.access->pattern];
    for (size_t half = 0; half < 2; ++half) {
      if (one.base[half] + static_cast<uint64_t>(a.access->offset) !=
          two.base[half] + static_cast<uint64_t>(b.access->offset)) {
        return false;
      }
    }
    if (one.stride != two.stride) return false;
  }
  return true;
}

bool Replay::has_no_races() const {
  if (!is_straight_everywhere()) return false;
  for (const Touched& store : touched_) {
    if (!store.access->store) continue;
    if (!is_tiled(store)) return false;
    const Interval own = in_grid(store);
    for (const Touched& other : touched_) {
      const Interval its = in_grid(other);
      const bool apart = own.high <= its.low || its.high <= own.low;
      if (!apart && !are_alike(store, other)) return false;
    }
  }
  return true;
}

}  // namespace minitorch::simt
