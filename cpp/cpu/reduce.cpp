#include "cpu/reduce.h"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "base/loop_watch.h"
#include "cpu/joins.h"
#include "cpu/rows.h"

namespace minitorch::cpu {
namespace {

constexpr int64_t kBlock = 256;      // elements summed in a row before pairs are joined
constexpr int64_t kSumBlock = 1024;  // the same of neighbours, in more lanes
constexpr int64_t kLanes = 16;       // independent partial results: two wide vectors
constexpr int64_t kColumns = 1024;   // outputs that one pass keeps in the first cache
constexpr int64_t kRows = 64;        // rows joined in order before blocks are in pairs

template <class Op, class T>
T join_block(const T* x, int64_t n, int64_t step) {
  T lanes[kLanes];
  for (T& lane : lanes) lane = Op::identity();
  int64_t i = 0;
  if (step == 1) {
    for (; i + kLanes <= n; i += kLanes) {
      for (int64_t j = 0; j < kLanes; ++j) lanes[j] = Op::join(lanes[j], x[i + j]);
    }
  } else {
    for (; i + kLanes <= n; i += kLanes) {
      for (int64_t j = 0; j < kLanes; ++j) {
        lanes[j] = Op::join(lanes[j], x[(i + j) * step]);
      }
    }
  }
  for (; i < n; ++i) lanes[i % kLanes] = Op::join(lanes[i % kLanes], x[i * step]);
  for (int64_t half = kLanes / 2; half > 0; half /= 2) {
    for (int64_t j = 0; j < half; ++j) lanes[j] = Op::join(lanes[j], lanes[j + half]);
  }
  return lanes[0];
}

/// Halves the range until a block remains; the depth is the logarithm of the length.
template <class Op, class T>
T join_pairwise(const T* x, int64_t n, int64_t step) {
  if constexpr (std::is_same_v<Op, Maximum<T>> && std::is_floating_point_v<T>) {
    constexpr int64_t kWorthIt = 64;  // below, the many lanes cost more than they gain
    if (step == 1 && n >= kWorthIt) return max_of_row(x, n);
  }
  if constexpr (std::is_same_v<Op, Add<float>> || std::is_same_v<Op, Add<double>>) {
    constexpr int64_t kWorthIt = 128;
    if (step == 1 && n >= kWorthIt && n <= kSumBlock) return sum_of_row(x, n);
  }
  if (n <= kBlock) return join_block<Op>(x, n, step);
  const int64_t half = (n / 2 + kLanes - 1) / kLanes * kLanes;
  return Op::join(join_pairwise<Op>(x, half, step),
                  join_pairwise<Op>(x + half * step, n - half, step));
}

/// One long row, its parts on several threads. The parts depend on the length alone, so
/// the result is the same with any number of threads.
template <class Op, class T>
T join_long(const T* x, int64_t n, int64_t step) {
  constexpr auto kPart = static_cast<int64_t>(kGrain);
  if (n < 2 * kPart) return join_pairwise<Op>(x, n, step);
  std::vector<T> parts(static_cast<size_t>((n + kPart - 1) / kPart));
  base::shared_pool().parallel_for(parts.size(), 1, [&](size_t begin, size_t end) {
    for (size_t p = begin; p < end; ++p) {
      const int64_t first = static_cast<int64_t>(p) * kPart;
      parts[p] = join_pairwise<Op>(x + first * step, std::min(kPart, n - first), step);
    }
  });
  return join_pairwise<Op>(parts.data(), static_cast<int64_t>(parts.size()), 1);
}

/// out[c] = join(out[c], row[c])
template <class Op, class T>
void join_row(const T* row, T* out, int64_t columns) {
  if constexpr (std::is_same_v<Op, Add<float>> || std::is_same_v<Op, Add<double>>) {
    add_row(row, out, columns);
  } else if constexpr (std::is_same_v<Op, Maximum<float>> ||
                       std::is_same_v<Op, Maximum<double>>) {
    max_row(row, out, columns);
  } else {
    for (int64_t c = 0; c < columns; ++c) out[c] = Op::join(out[c], row[c]);
  }
}

/// Rows of the first of two parts, whole blocks.
int64_t upper_half(int64_t rows) { return (rows / 2 + kRows - 1) / kRows * kRows; }

/// `columns` neighbouring outputs at once, down the rows; blocks of rows are summed
/// apart and then joined in pairs, like the halves above.
template <class Op, class T>
void join_columns(const T* x, int64_t rows, int64_t row_step, int64_t columns, T* out) {
  if (rows <= kRows) {
    std::fill_n(out, columns, Op::identity());
    int64_t r = 0;
    if constexpr (std::is_same_v<Op, Add<float>> || std::is_same_v<Op, Add<double>>) {
      // The sums wait in registers for eight rows.
      for (; r + 8 <= rows; r += 8)
        add_8_rows(x + r * row_step, row_step, out, columns);
    }
    for (; r < rows; ++r) {
      const T* row = x + r * row_step;
      join_row<Op>(row, out, columns);
    }
    return;
  }
  const int64_t half = upper_half(rows);
  T other[kColumns];
  join_columns<Op>(x, half, row_step, columns, out);
  join_columns<Op>(x + half * row_step, rows - half, row_step, columns, other);
  for (int64_t c = 0; c < columns; ++c) out[c] = Op::join(out[c], other[c]);
}

template <class Op, class T>
void join_wide(const T* x, int64_t rows, int64_t row_step, int64_t columns, T* out) {
  for (int64_t c = 0; c < columns; c += kColumns) {
    join_columns<Op>(x + c, rows, row_step, std::min(kColumns, columns - c), out + c);
  }
}

/// A matrix with few columns, its rows shared out: `join_columns` halves them, and the
/// parts that its first halvings leave are joined apart, then as it would join them. So
/// the result does not depend on the number of threads.
template <class Op, class T>
class TallMatrix {
 public:
  TallMatrix(const T* x, int64_t rows, int64_t row_step, int64_t columns, T* out)
      : x_(x), row_step_(row_step), columns_(columns), out_(out) {
    cut(0, rows);
    others_.resize((parts_.size() - 1) * static_cast<size_t>(columns));
  }

  void join() {
    base::shared_pool().parallel_for(parts_.size(), 1, [&](size_t begin, size_t end) {
      for (size_t p = begin; p < end; ++p) {
        const auto [first, rows] = parts_[p];
        join_wide<Op>(x_ + first * row_step_, rows, row_step_, columns_, result(p));
      }
    });
    size_t next = 0;
    join_parts(parts_.back().first + parts_.back().rows, next);
  }

 private:
  struct Part {
    int64_t first, rows;
  };

  bool whole(int64_t rows) const {
    return rows <= kRows || rows * columns_ < 4 * static_cast<int64_t>(kGrain);
  }

  void cut(int64_t first, int64_t rows) {
    if (whole(rows)) return parts_.push_back({first, rows});
    cut(first, upper_half(rows));
    cut(first + upper_half(rows), rows - upper_half(rows));
  }

  /// Where part `p` is joined; the others are then joined into the first.
  T* result(size_t p) {
    return p == 0 ? out_ : others_.data() + (p - 1) * static_cast<size_t>(columns_);
  }

  T* join_parts(int64_t rows, size_t& next) {
    if (whole(rows)) return result(next++);
    T* upper = join_parts(upper_half(rows), next);
    T* lower = join_parts(rows - upper_half(rows), next);
    join_row<Op>(lower, upper, columns_);
    return upper;
  }

  const T* x_;
  int64_t row_step_, columns_;
  T* out_;
  std::vector<Part> parts_;
  std::vector<T> others_;
};

/// All columns of a matrix; of its longer side each thread gets a part, of columns in
/// blocks that fill whole vectors.
template <class Op, class T>
void join_matrix(const T* x, int64_t rows, int64_t row_step, int64_t columns,
                 size_t grain, T* out) {
  if (columns <= rows) return TallMatrix<Op, T>(x, rows, row_step, columns, out).join();
  constexpr int64_t kColumnBlock = 128;
  const auto blocks = static_cast<size_t>((columns + kColumnBlock - 1) / kColumnBlock);
  const size_t least = std::max<size_t>(1, grain / kColumnBlock);
  base::shared_pool().parallel_for(blocks, least, [&](size_t begin, size_t end) {
    const auto first = static_cast<int64_t>(begin) * kColumnBlock;
    const int64_t last = std::min(static_cast<int64_t>(end) * kColumnBlock, columns);
    join_wide<Op>(x + first, rows, row_step, last - first, out + first);
  });
}

template <class Op, class T>
void reduce_with(std::span<const int64_t> shape, size_t dim, Strided<const T> a,
                 T* out) {
  std::vector<int64_t> kept, steps, out_steps;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (d == dim) continue;
    kept.push_back(shape[d]);
    steps.push_back(a.strides[d]);
  }
  out_steps.assign(kept.size(), 1);
  for (size_t d = kept.size(); d-- > 1;) out_steps[d - 1] = out_steps[d] * kept[d];
  const int64_t length = shape[dim], step = a.strides[dim];
  auto nest = make_nest<2>(kept, {std::span<const int64_t>(steps), out_steps});
  if (nest.total == 1) {
    *out = join_long<Op>(a.data, length, step);
    return;
  }
  const bool columns = nest.row_stride(0) == 1 && step != 1 && nest.row_length() > 1;
  const auto grain =
      std::max<size_t>(1, kGrain / static_cast<size_t>(std::max<int64_t>(length, 1)));
  if (columns && nest.dims == 1) {
    join_matrix<Op>(a.data, length, step, nest.total, grain, out);
    return;
  }
  for_rows_parallel(nest, grain, [&](const auto& at, int64_t n) {
    const T* x = a.data + at[0];
    T* y = out + at[1];
    if (!columns) {
      const int64_t next = nest.row_stride(0);
      for (int64_t i = 0; i < n; ++i)
        y[i] = join_pairwise<Op>(x + i * next, length, step);
      return;
    }
    join_wide<Op>(x, length, step, n, y);
  });
}

}  // namespace

template <class T>
void reduce(Reduce op, std::span<const int64_t> shape, size_t dim, Strided<const T> a,
            T* out) {
  const base::HostLoop loop("reduce");
  switch (op) {
    case Reduce::Sum:
      return reduce_with<Add<T>, T>(shape, dim, a, out);
    case Reduce::Max:
      return reduce_with<Maximum<T>, T>(shape, dim, a, out);
    case Reduce::Min:
      return reduce_with<Minimum<T>, T>(shape, dim, a, out);
    case Reduce::Prod:
      return reduce_with<Multiply<T>, T>(shape, dim, a, out);
  }
}

#define MINITORCH_REDUCE(T)                                                           \
  template void reduce<T>(Reduce, std::span<const int64_t>, size_t, Strided<const T>, \
                          T*);
MINITORCH_REDUCE(float)
MINITORCH_REDUCE(double)
MINITORCH_REDUCE(int32_t)
MINITORCH_REDUCE(int64_t)
MINITORCH_REDUCE(uint8_t)
#undef MINITORCH_REDUCE

}  // namespace minitorch::cpu
