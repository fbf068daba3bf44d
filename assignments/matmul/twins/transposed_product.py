# matmul.py fails 7.1-product.values, 7.1-product.clean, 7.1-product.cost: oob_global
"""Owns a product that takes b by its columns."""

from minitorch_cuda import cuda


@cuda.jit
def matmul_coalesced(c, a, b):
    column, row = cuda.grid(2)
    if row < c.shape[0] and column < c.shape[1]:
        total = cuda.float32(0)
        for i in range(a.shape[1]):
            total += a[row, i] * b[column, i]  # wrong: b is (k, n)
        c[row, column] = total
