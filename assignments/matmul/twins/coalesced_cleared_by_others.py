# matmul.py fails 7.1-product.clean, 7.1-product.cost: race_global
"""Owns cells of c that one thread clears for others, which do not wait for it."""

from minitorch_cuda import cuda


@cuda.jit
def matmul_coalesced(c, a, b):
    column, row = cuda.grid(2)
    if column < c.shape[1] and cuda.threadIdx.y == 0:
        for i in range(row, min(row + 8, c.shape[0])):
            c[i, column] = 0
    if row < c.shape[0] and column < c.shape[1]:
        for i in range(a.shape[1]):
            c[row, column] += a[row, i] * b[i, column]  # wrong: cleared already?
