# matmul.py fails 7.1-product.values, 7.1-product.clean, 7.1-product.cost: oob_global
"""Owns a product whose guard looks at columns alone."""

from minitorch_cuda import cuda


@cuda.jit
def matmul_coalesced(c, a, b):
    column, row = cuda.grid(2)
    if column < c.shape[1]:  # wrong: a row may lie outside
        total = cuda.float32(0)
        for i in range(a.shape[1]):
            total += a[row, i] * b[i, column]
        c[row, column] = total
