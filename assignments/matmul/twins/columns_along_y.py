# matmul.py fails 7.1-product.values, 7.1-product.clean, 7.1-product.cost: failed
"""Owns threads whose rows follow threadIdx.x, on the grid of the assignment."""

from minitorch_cuda import cuda


@cuda.jit
def matmul_coalesced(c, a, b):
    row, column = cuda.grid(2)  # wrong: the grid has n columns in x
    if row < c.shape[0] and column < c.shape[1]:
        total = cuda.float32(0)
        for i in range(a.shape[1]):
            total += a[row, i] * b[i, column]
        c[row, column] = total
