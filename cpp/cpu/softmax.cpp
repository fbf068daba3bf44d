// Owns the host loops of softmax and its logarithm. Lines that are contiguous are taken
// some at a time, so that e ** x works on long runs whatever their length; others as
// neighbouring columns.
#include "cpu/softmax.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/loop_watch.h"
#include "base/thread_pool.h"
#include "cpu/builds.h"
#include "cpu/loop_nest.h"
#include "cpu/rows.h"

namespace minitorch::cpu {
namespace {

constexpr int64_t kRunCells = 1024;  // cells that wait in the first cache between steps
constexpr int64_t kRowsInSum = 64;   // of a column, before its sum goes to float64

struct Sum {
  template <class V>
  [[gnu::always_inline]] static void join(V& a, const V& b) {
    a += b;
  }
};
struct Most {
  template <class V>
  [[gnu::always_inline]] static void join(V& a, const V& b) {
    a = a > b ? a : b;
  }
};

/// Cells joined in vectors, as wide as any processor has: it leaves no order of its own
/// to a compiler, so results are the same on all. Of a[i] * b[i] unless b is null.
template <class Join, class T>
[[gnu::always_inline]] inline T join_cells(const T* a, const T* b, int64_t count,
                                           T start) {
  constexpr int64_t kBytes = 64, kLanes = kBytes / sizeof(T), kVectors = 4;
  typedef T Vector __attribute__((vector_size(kBytes)));
  int64_t i = 0;
  T lanes[kLanes];
  if (count >= kLanes) {
    Vector found[kVectors], cells, others;
    for (Vector& each : found) each = Vector{} + start;
    const auto take = [&](Vector & into, int64_t at) __attribute__((always_inline)) {
      std::memcpy(&cells, a + at, kBytes);
      if (b) {
        std::memcpy(&others, b + at, kBytes);
        cells *= others;
      }
      Join::join(into, cells);
    };
    for (; i + kVectors * kLanes <= count; i += kVectors * kLanes) {
      for (int64_t v = 0; v < kVectors; ++v) take(found[v], i + v * kLanes);
    }
    for (; i + kLanes <= count; i += kLanes) take(found[0], i);
    for (int64_t v = 1; v < kVectors; ++v) Join::join(found[0], found[v]);
    std::memcpy(lanes, &found[0], kBytes);
    for (int64_t half = kLanes / 2; half > 0; half /= 2) {
      for (int64_t j = 0; j < half; ++j) Join::join(lanes[j], lanes[j + half]);
    }
  }
  T out = i > 0 ? lanes[0] : start;
  for (; i < count; ++i) {
    const T cell = b ? a[i] * b[i] : a[i];
    Join::join(out, cell);
  }
  return out;
}

// The steps of short loops over whole lines, for several instruction sets.
#define MINITORCH_LINE_STEPS(T)                                                        \
  /** The largest of each of `rows` lines; of one with a NaN any of its cells, since   \
      its sum is NaN whatever is taken off. */                                         \
  MINITORCH_BUILDS void largest_of(const T* __restrict x, int64_t length,              \
                                   int64_t rows, T* __restrict largest) {              \
    for (int64_t r = 0; r < rows; ++r) {                                               \
      const T* line = x + r * length;                                                  \
      largest[r] = join_cells<Most, T>(line, nullptr, length, line[0]);                \
    }                                                                                  \
  }                                                                                    \
  /** out = x - by[r] of each line. */                                                 \
  MINITORCH_BUILDS void shift_lines(const T* __restrict x, const T* __restrict by,     \
                                    int64_t length, int64_t rows, T* __restrict out) { \
    for (int64_t r = 0; r < rows; ++r) {                                               \
      const T off = by[r];                                                             \
      for (int64_t i = r * length; i < (r + 1) * length; ++i) out[i] = x[i] - off;     \
    }                                                                                  \
  }                                                                                    \
  /** out = out * by[r] of each line. */                                               \
  MINITORCH_BUILDS void scale_lines(T* __restrict out, const T* __restrict by,         \
                                    int64_t length, int64_t rows) {                    \
    for (int64_t r = 0; r < rows; ++r) {                                               \
      const T factor = by[r];                                                          \
      for (int64_t i = r * length; i < (r + 1) * length; ++i) out[i] *= factor;        \
    }                                                                                  \
  }                                                                                    \
  MINITORCH_BUILDS void lower_lines(T* __restrict out, const T* __restrict by,         \
                                    int64_t length, int64_t rows) {                    \
    for (int64_t r = 0; r < rows; ++r) {                                               \
      const T off = by[r];                                                             \
      for (int64_t i = r * length; i < (r + 1) * length; ++i) out[i] -= off;           \
    }                                                                                  \
  }                                                                                    \
  /** The sum of a run, and of a * b. */                                               \
  MINITORCH_BUILDS T sum_of_run(const T* __restrict a, int64_t count) {                \
    return join_cells<Sum, T>(a, nullptr, count, T(0));                                \
  }                                                                                    \
  MINITORCH_BUILDS T product_of_run(const T* __restrict a, const T* __restrict b,      \
                                    int64_t count) {                                   \
    return join_cells<Sum, T>(a, b, count, T(0));                                      \
  }                                                                                    \
  /** dx = y * (g - sum), and g - p * sum with p the exponential of y. */              \
  MINITORCH_BUILDS void plain_back(const T* __restrict g, const T* __restrict y,       \
                                   T sum, T* __restrict dx, int64_t count) {           \
    for (int64_t i = 0; i < count; ++i) dx[i] = y[i] * (g[i] - sum);                   \
  }                                                                                    \
  MINITORCH_BUILDS void logarithm_back(const T* __restrict g, const T* __restrict p,   \
                                       T sum, T* __restrict dx, int64_t count) {       \
    for (int64_t i = 0; i < count; ++i) dx[i] = g[i] - p[i] * sum;                     \
  }                                                                                    \
  /** The same down neighbouring columns, each of which has a value of its own. */     \
  MINITORCH_BUILDS void shift_columns(const T* __restrict x, const T* __restrict by,   \
                                      T* __restrict out, int64_t count) {              \
    for (int64_t i = 0; i < count; ++i) out[i] = x[i] - by[i];                         \
  }                                                                                    \
  MINITORCH_BUILDS void add_products(const T* __restrict a, const T* __restrict b,     \
                                     T* __restrict out, int64_t count) {               \
    for (int64_t i = 0; i < count; ++i) out[i] += a[i] * b[i];                         \
  }                                                                                    \
  MINITORCH_BUILDS void scale_columns(T* __restrict out, const T* __restrict by,       \
                                      int64_t count) {                                 \
    for (int64_t i = 0; i < count; ++i) out[i] *= by[i];                               \
  }                                                                                    \
  MINITORCH_BUILDS void lower_columns(T* __restrict out, const T* __restrict by,       \
                                      int64_t count) {                                 \
    for (int64_t i = 0; i < count; ++i) out[i] -= by[i];                               \
  }                                                                                    \
  MINITORCH_BUILDS void plain_back_columns(                                            \
      const T* __restrict g, const T* __restrict y, const T* __restrict sum,           \
      T* __restrict dx, int64_t count) {                                               \
    for (int64_t i = 0; i < count; ++i) dx[i] = y[i] * (g[i] - sum[i]);                \
  }                                                                                    \
  MINITORCH_BUILDS void logarithm_back_columns(                                        \
      const T* __restrict g, const T* __restrict p, const T* __restrict sum,           \
      T* __restrict dx, int64_t count) {                                               \
    for (int64_t i = 0; i < count; ++i) dx[i] = g[i] - p[i] * sum[i];                  \
  }
MINITORCH_LINE_STEPS(float)
MINITORCH_LINE_STEPS(double)
#undef MINITORCH_LINE_STEPS

/// Contiguous lines [first, last), as many together as fit a run, at least one:
/// body(offset of their cells, their number).
template <class Body>
void for_line_runs(int64_t length, int64_t first, int64_t last, Body body) {
  const int64_t together = std::max<int64_t>(1, kRunCells / length);
  for (int64_t line = first; line < last; line += together)
    body(line * length, std::min(together, last - line));
}

/// The parts of a line that is longer than a run: body(offset, cells).
template <class Body>
void for_parts(int64_t length, Body body) {
  for (int64_t at = 0; at < length; at += kRunCells)
    body(at, std::min(kRunCells, length - at));
}

/// `lines(first, last)` for the lines of contiguous cells, split over threads.
template <class Body>
void share_lines(const Lines& s, Body body) {
  const int64_t grain = std::max<int64_t>(1, kCellGrain / s.length);
  base::shared_pool().parallel_for(
      static_cast<size_t>(s.outer), static_cast<size_t>(grain),
      [&](size_t begin, size_t end) {
        body(static_cast<int64_t>(begin), static_cast<int64_t>(end));
      });
}

/// Neighbouring columns that one pass takes: their cells stay in the second cache.
constexpr int64_t kBandColumns = 256;

/// `body(offset of the first cell, columns)` for bands of neighbouring columns.
template <class Body>
void share_columns(const Lines& s, Body body) {
  const int64_t bands = (s.inner + kBandColumns - 1) / kBandColumns;
  const int64_t cells = s.length * std::min(s.inner, kBandColumns);
  base::shared_pool().parallel_for(
      static_cast<size_t>(s.outer * bands),
      static_cast<size_t>(std::max<int64_t>(1, kCellGrain / cells)),
      [&](size_t begin, size_t end) {
        for (auto band = static_cast<int64_t>(begin); band < static_cast<int64_t>(end);
             ++band) {
          const int64_t first = band % bands * kBandColumns;
          body(band / bands * s.length * s.inner + first,
               std::min(kBandColumns, s.inner - first));
        }
      });
}

/// Sums down columns: some rows in T, all of them in float64.
template <class T>
class ColumnSums {
 public:
  explicit ColumnSums(int64_t columns) : columns_(columns) {
    std::fill_n(whole_, columns, 0.0);
    std::fill_n(part_, columns, T(0));
  }
  /// Where the next row is added.
  T* next() {
    if (++rows_ > kRowsInSum) flush();
    return part_;
  }
  const double* finish() {
    flush();
    return whole_;
  }

 private:
  void flush() {
    for (int64_t c = 0; c < columns_; ++c) whole_[c] += part_[c];
    std::fill_n(part_, columns_, T(0));
    rows_ = 1;
  }
  int64_t columns_, rows_ = 0;
  double whole_[kBandColumns];
  T part_[kBandColumns];
};

/// The largest cell of each column.
template <class T>
void largest_of_columns(const Lines& s, const T* x, int64_t columns, T* largest) {
  std::copy_n(x, columns, largest);
  for (int64_t r = 1; r < s.length; ++r) max_row(x + r * s.inner, largest, columns);
}

/// Where the steps of a sum leave what they found; null: nowhere.
template <class T>
struct KeptSteps {
  T* shifted = nullptr;      // x - largest
  T* exponential = nullptr;  // its exponential
};

/// Sums of exp(x - largest) of each column.
template <class T>
const double* sum_columns(const Lines& s, const T* x, int64_t columns, const T* largest,
                          const KeptSteps<T>& kept, ColumnSums<T>& sums) {
  T shifted[kBandColumns], unused[kBandColumns];
  for (int64_t r = 0; r < s.length; ++r) {
    const int64_t row = r * s.inner;
    T* off = kept.shifted ? kept.shifted + row : shifted;
    T* e = kept.exponential ? kept.exponential + row : unused;
    shift_columns(x + row, largest, off, columns);
    exp_row(off, e, columns);
    add_row(e, sums.next(), columns);
  }
  return sums.finish();
}

/// Sums of exp(x - largest) of `rows` contiguous lines, which fit a run or are one.
template <class T>
void sum_lines(const T* x, int64_t length, int64_t rows, const T* largest,
               const KeptSteps<T>& kept, double* sums) {
  T shifted[kRunCells], unused[kRunCells];
  if (rows == 1) sums[0] = 0;
  for_parts(rows > 1 ? rows * length : length, [&](int64_t at, int64_t n) {
    T* off = kept.shifted ? kept.shifted + at : shifted;
    T* e = kept.exponential ? kept.exponential + at : unused;
    shift_lines(x + at, largest, n / rows, rows, off);
    exp_row(off, e, n);
    if (rows == 1) {
      sums[0] += sum_of_run(e, n);
    } else {
      for (int64_t r = 0; r < rows; ++r) sums[r] = sum_of_run(e + r * length, length);
    }
  });
}

template <class T>
void lines_of(const Lines& s, Softmax kind, const T* x, T* out) {
  const bool plain = kind == Softmax::Plain;
  share_lines(s, [&](int64_t first, int64_t last) {
    T found[kRunCells];
    double sums[kRunCells];
    for_line_runs(s.length, first, last, [&](int64_t at, int64_t rows) {
      T* y = out + at;
      largest_of(x + at, s.length, rows, found);
      sum_lines(x + at, s.length, rows, found,
                plain ? KeptSteps<T>{nullptr, y} : KeptSteps<T>{y, nullptr}, sums);
      for (int64_t r = 0; r < rows; ++r)
        found[r] = static_cast<T>(plain ? 1 / sums[r] : std::log(sums[r]));
      plain ? scale_lines(y, found, s.length, rows)
            : lower_lines(y, found, s.length, rows);
    });
  });
}

template <class T>
void columns_of(const Lines& s, Softmax kind, const T* x, T* out) {
  const bool plain = kind == Softmax::Plain;
  share_columns(s, [&](int64_t at, int64_t columns) {
    T found[kBandColumns];
    T* y = out + at;
    ColumnSums<T> of(columns);
    largest_of_columns(s, x + at, columns, found);
    const double* sums =
        sum_columns<T>(s, x + at, columns, found,
                       plain ? KeptSteps<T>{nullptr, y} : KeptSteps<T>{y, nullptr}, of);
    for (int64_t c = 0; c < columns; ++c)
      found[c] = static_cast<T>(plain ? 1 / sums[c] : std::log(sums[c]));
    for (int64_t r = 0; r < s.length; ++r) {
      T* row = y + r * s.inner;
      plain ? scale_columns(row, found, columns) : lower_columns(row, found, columns);
    }
  });
}

/// dx of one contiguous line.
template <class T>
void line_back(Softmax kind, int64_t length, const T* g, const T* y, T* dx) {
  const bool plain = kind == Softmax::Plain;
  double sum = 0;
  for_parts(length, [&](int64_t at, int64_t n) {
    sum += plain ? product_of_run(g + at, y + at, n) : sum_of_run(g + at, n);
  });
  T shares[kRunCells];
  for_parts(length, [&](int64_t at, int64_t n) {
    if (plain) return plain_back(g + at, y + at, static_cast<T>(sum), dx + at, n);
    exp_row(y + at, shares, n);
    logarithm_back(g + at, shares, static_cast<T>(sum), dx + at, n);
  });
}

template <class T>
void columns_back(const Lines& s, Softmax kind, const T* g, const T* y, T* dx) {
  const bool plain = kind == Softmax::Plain;
  share_columns(s, [&](int64_t at, int64_t columns) {
    ColumnSums<T> of(columns);
    for (int64_t r = 0; r < s.length; ++r) {
      const int64_t row = at + r * s.inner;
      if (plain) {
        add_products(g + row, y + row, of.next(), columns);
      } else {
        add_row(g + row, of.next(), columns);
      }
    }
    const double* sums = of.finish();
    T sum[kBandColumns], shares[kBandColumns];
    for (int64_t c = 0; c < columns; ++c) sum[c] = static_cast<T>(sums[c]);
    for (int64_t r = 0; r < s.length; ++r) {
      const int64_t row = at + r * s.inner;
      if (plain) {
        plain_back_columns(g + row, y + row, sum, dx + row, columns);
      } else {
        exp_row(y + row, shares, columns);
        logarithm_back_columns(g + row, shares, sum, dx + row, columns);
      }
    }
  });
}

}  // namespace

template <class T>
void softmax(const Lines& s, Softmax kind, const T* x, T* out) {
  const base::HostLoop loop("softmax");
  s.inner > 1 ? columns_of(s, kind, x, out) : lines_of(s, kind, x, out);
}

template <class T>
void softmax_grad(const Lines& s, Softmax kind, const T* g, const T* y, T* dx) {
  const base::HostLoop loop("softmax_grad");
  if (s.inner > 1) return columns_back(s, kind, g, y, dx);
  share_lines(s, [&](int64_t first, int64_t last) {
    for (int64_t at = first * s.length; at < last * s.length; at += s.length)
      line_back(kind, s.length, g + at, y + at, dx + at);
  });
}

template <class T>
void log_sums(const Lines& s, const T* x, T* largest, T* logarithm) {
  const base::HostLoop loop("log_sums");
  if (s.inner == 1) {
    share_lines(s, [&](int64_t first, int64_t last) {
      double sums[kRunCells];
      for_line_runs(s.length, first, last, [&](int64_t at, int64_t rows) {
        const int64_t line = at / s.length;
        largest_of(x + at, s.length, rows, largest + line);
        sum_lines(x + at, s.length, rows, largest + line, KeptSteps<T>{}, sums);
        for (int64_t r = 0; r < rows; ++r)
          logarithm[line + r] = static_cast<T>(std::log(sums[r]));
      });
    });
    return;
  }
  share_columns(s, [&](int64_t at, int64_t columns) {
    const int64_t group = s.length * s.inner;
    const int64_t line = at / group * s.inner + at % group;
    ColumnSums<T> of(columns);
    largest_of_columns(s, x + at, columns, largest + line);
    const double* sums =
        sum_columns<T>(s, x + at, columns, largest + line, KeptSteps<T>{}, of);
    for (int64_t c = 0; c < columns; ++c)
      logarithm[line + c] = static_cast<T>(std::log(sums[c]));
  });
}

#define MINITORCH_SOFTMAX(T)                                                    \
  template void softmax<T>(const Lines&, Softmax, const T*, T*);                \
  template void softmax_grad<T>(const Lines&, Softmax, const T*, const T*, T*); \
  template void log_sums<T>(const Lines&, const T*, T*, T*);
MINITORCH_SOFTMAX(float)
MINITORCH_SOFTMAX(double)
#undef MINITORCH_SOFTMAX

}  // namespace minitorch::cpu
