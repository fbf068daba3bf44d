# matmul.py fails 7.2-product.cost: too_costly
"""Owns task 7.2 as task 7.1 has it: every thread reads for itself."""

from minitorch_cuda import cuda


@cuda.jit
def matmul_tiled(c, a, b):
    column, row = cuda.grid(2)
    if row < c.shape[0] and column < c.shape[1]:
        total = cuda.float32(0)
        for i in range(a.shape[1]):
            total += a[row, i] * b[i, column]  # wrong: 16 threads read each number
        c[row, column] = total
