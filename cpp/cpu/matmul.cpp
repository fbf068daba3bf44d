// Owns the product of two matrices on the host, through BLAS.
#include "cpu/matmul.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <type_traits>

#include "base/error.h"
#include "base/text.h"
#include "cpu/blas.h"

namespace minitorch::cpu {
namespace {

constexpr int kRowMajor = 101, kPlain = 111, kTransposed = 112;

/// Products of this many multiplications and fewer are done before a second thread has
/// woken up, and on a busy machine BLAS waits for it a hundred times as long. Those
/// below the first number BLAS itself gives to one thread.
constexpr int64_t kOneThread = int64_t{1} << 17, kSeveralThreads = int64_t{1} << 22;

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
            bool accumulate) {
  constexpr int64_t kLimit = std::numeric_limits<int>::max();
  if (m > kLimit || n > kLimit || k > kLimit) {
    throw base::ValueError("matmul", base::text("got sizes ", m, ", ", n, " and ", k,
                                                "; need sizes below 2**31."));
  }
  if (m == 0 || n == 0) return;
  if (k == 0) {
    if (!accumulate) std::fill_n(out, m * n, T(0));
    return;
  }
  const Blas& library = blas();
  std::optional<OneThreadEach> alone;
  const int64_t work = m * n > kSeveralThreads ? kSeveralThreads : m * n * k;
  if (work > kOneThread && work < kSeveralThreads) alone.emplace(library);
  const Side left = side_of(m, k, a.row, a.column);
  const Side right = side_of(k, n, b.row, b.column);
  const int mi = static_cast<int>(m), ni = static_cast<int>(n),
            ki = static_cast<int>(k);
  if constexpr (std::is_same_v<T, float>) {
    library.sgemm(kRowMajor, left.transposition, right.transposition, mi, ni, ki, 1.0f,
                  a.data, left.leading, b.data, right.leading, accumulate ? 1.0f : 0.0f,
                  out, ni);
  } else {
    library.dgemm(kRowMajor, left.transposition, right.transposition, mi, ni, ki, 1.0,
                  a.data, left.leading, b.data, right.leading, accumulate ? 1.0 : 0.0,
                  out, ni);
  }
}

template void matmul<float>(int64_t, int64_t, int64_t, Matrix<float>, Matrix<float>,
                            float*, bool);
template void matmul<double>(int64_t, int64_t, int64_t, Matrix<double>, Matrix<double>,
                             double*, bool);

}  // namespace minitorch::cpu
