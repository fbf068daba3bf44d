# matmul.py fails 7.1-product.cost: too_costly
"""Owns a running sum that lives in c: a load and a store for each product."""

from minitorch_cuda import cuda


@cuda.jit
def matmul_coalesced(c, a, b):
    column, row = cuda.grid(2)
    if row < c.shape[0] and column < c.shape[1]:
        c[row, column] = 0
        for i in range(a.shape[1]):
            c[row, column] += a[row, i] * b[i, column]  # wrong: keep it in a register
