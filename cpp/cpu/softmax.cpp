#include "cpu/softmax.h"

#include <cmath>

#include "base/loop_watch.h"

namespace minitorch::cpu {
namespace {

constexpr int64_t kRowsInSum = 64;  // of a column, before its sum goes to float64

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
void causal_softmax(const Lines& s, int64_t targets, const T* x, T* out) {
  const base::HostLoop loop("causal_softmax");
  share_lines(s, [&](int64_t first, int64_t last) {
    for (int64_t line = first; line < last; ++line) {
      const int64_t at = line * s.length, seen = std::min(line % targets + 1, s.length);
      T found;
      double sum;
      largest_of(x + at, seen, 1, &found);
      sum_lines(x + at, seen, 1, &found, KeptSteps<T>{nullptr, out + at}, &sum);
      found = static_cast<T>(1 / sum);
      scale_lines(out + at, &found, seen, 1);
      std::fill_n(out + at + seen, s.length - seen, T(0));
    }
  });
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
  template void causal_softmax<T>(const Lines&, int64_t, const T*, T*);         \
  template void softmax_grad<T>(const Lines&, Softmax, const T*, const T*, T*); \
  template void log_sums<T>(const Lines&, const T*, T*, T*);
MINITORCH_SOFTMAX(float)
MINITORCH_SOFTMAX(double)
#undef MINITORCH_SOFTMAX

}  // namespace minitorch::cpu
