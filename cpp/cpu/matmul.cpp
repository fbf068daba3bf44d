#include "cpu/matmul.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "base/error.h"
#include "base/loop_watch.h"
#include "base/text.h"
#include "base/thread_pool.h"
#include "cpu/blas.h"

namespace minitorch::cpu {
namespace {

constexpr int kRowMajor = 101, kPlain = 111, kTransposed = 112;

/// Multiplications of a product. Up to the first number BLAS itself takes one thread;
/// up to the second a single thread is done before another one has woken up; up to the
/// third this library's threads, which sleep while they wait, take a part each. BLAS's
/// own threads spin: on a busy machine they need a hundred times as long, and pay off
/// for large products only.
constexpr int64_t kTiny = int64_t{1} << 17, kOneThread = int64_t{1} << 22,
                  kOwnThreads = int64_t{1} << 26;

struct Side {
  int transposition, leading;
};

/// How BLAS is told to read a matrix; a single row or column has no step that matters.
Side side_of(int64_t rows, int64_t columns, int64_t row, int64_t column) {
  if ((column == 1 || columns == 1) && (row >= columns || rows == 1)) {
    return {kPlain, static_cast<int>(std::max<int64_t>(rows == 1 ? columns : row, 1))};
  }
  return {kTransposed,
          static_cast<int>(std::max<int64_t>(columns == 1 ? rows : column, 1))};
}

/// A product, or a part of its rows or columns, as BLAS takes it.
template <class T>
struct Product {
  Side left, right;
  int64_t row_step, k;  // of the output; of both factors
  bool accumulate;

  void run(const Blas& library, int64_t m, int64_t n, const T* a, const T* b,
           T* out) const {
    const int mi = static_cast<int>(m), ni = static_cast<int>(n),
              ki = static_cast<int>(k), step = static_cast<int>(row_step);
    const T kept = accumulate ? T(1) : T(0);
    if constexpr (std::is_same_v<T, float>) {
      library.sgemm(kRowMajor, left.transposition, right.transposition, mi, ni, ki,
                    1.0f, a, left.leading, b, right.leading, kept, out, step);
    } else {
      library.dgemm(kRowMajor, left.transposition, right.transposition, mi, ni, ki, 1.0,
                    a, left.leading, b, right.leading, kept, out, step);
    }
  }
};

}  // namespace

bool blas_can_read(int64_t rows, int64_t columns, int64_t row, int64_t column) {
  constexpr int64_t kLimit = std::numeric_limits<int>::max();
  if (row > kLimit || column > kLimit) return false;
  const bool plain = (column == 1 || columns == 1) && (row >= columns || rows == 1);
  const bool transposed = (row == 1 || rows == 1) && (column >= rows || columns == 1);
  return plain || transposed;
}

template <class T>
void matmul(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<T> b, T* out,
            bool accumulate, int64_t out_row) {
  const base::HostLoop loop("matmul");
  constexpr int64_t kLimit = std::numeric_limits<int>::max();
  if (m > kLimit || n > kLimit || k > kLimit || out_row > kLimit) {
    throw base::ValueError("matmul", base::text("got sizes ", m, ", ", n, " and ", k,
                                                "; need sizes below 2**31."));
  }
  if (m == 0 || n == 0) return;
  const int64_t step = out_row ? out_row : n;
  if (k == 0) {
    for (int64_t i = 0; !accumulate && i < m; ++i) std::fill_n(out + i * step, n, T(0));
    return;
  }
  const Blas& library = blas();
  const Product<T> whole{side_of(m, k, a.row, a.column), side_of(k, n, b.row, b.column),
                         step, k, accumulate};
  const int64_t work = m * n > kOwnThreads ? kOwnThreads + 1 : m * n * k;
  if (work <= kTiny || work > kOwnThreads || OneThreadEach::active()) {
    return whole.run(library, m, n, a.data, b.data, out);
  }
  const OneThreadEach scope(library);
  base::ThreadPool& pool = base::shared_pool();
  const auto parts = work <= kOneThread ? 1 : static_cast<int64_t>(pool.size());
  pool.run(static_cast<size_t>(parts), [&](size_t worker) {
    const auto part = static_cast<int64_t>(worker);
    const bool rows = m >= n;  // of the longer side each gets a part
    const int64_t size = rows ? m : n;
    const int64_t first = size * part / parts, end = size * (part + 1) / parts;
    if (first == end) return;
    if (rows) {
      whole.run(library, end - first, n, a.data + first * a.row, b.data,
                out + first * step);
    } else {
      whole.run(library, m, end - first, a.data, b.data + first * b.column,
                out + first);
    }
  });
}

template void matmul<float>(int64_t, int64_t, int64_t, Matrix<float>, Matrix<float>,
                            float*, bool, int64_t);
template void matmul<double>(int64_t, int64_t, int64_t, Matrix<double>, Matrix<double>,
                             double*, bool, int64_t);

}  // namespace minitorch::cpu
