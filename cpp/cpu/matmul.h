// The product of two matrices on the host, through BLAS; knows no batches.
#pragma once

#include <cstdint>

namespace minitorch::cpu {

/// A matrix in memory: element (i, j) is data[i * row + j * column].
template <class T>
struct Matrix {
  const T* data;
  int64_t row, column;
};

/// True when BLAS reads such a matrix in place: one step is 1, the other long enough.
bool blas_can_read(int64_t rows, int64_t columns, int64_t row, int64_t column);

/// out = a @ b: (m, k) @ (k, n) -> (m, n), for float and double; `out` is row-major. A
/// transposed view is passed as a transposition. Both must satisfy `blas_can_read`.
/// With `accumulate` the product is added to what `out` holds. Its rows start `out_row`
/// apart; 0: n.
template <class T>
void matmul(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<T> b, T* out,
            bool accumulate = false, int64_t out_row = 0);

}  // namespace minitorch::cpu
