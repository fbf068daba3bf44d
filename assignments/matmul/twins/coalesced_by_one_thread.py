# matmul.py fails 7.1-product.cost: too_costly
"""Holds one thread that does the work of all: it asks for fewer sectors."""

from minitorch_cuda import cuda


@cuda.jit
def matmul_coalesced(c, a, b):
    x, y = cuda.grid(2)
    if x + y > 0:
        return  # wrong: one thread of the grid is left
    totals = cuda.local.array((16, 64), cuda.float32)
    column_of_a = cuda.local.array(16, cuda.float32)
    for top in range(0, c.shape[0], 16):
        rows = min(16, c.shape[0] - top)
        for left in range(0, c.shape[1], 64):
            columns = min(64, c.shape[1] - left)
            for row in range(rows):
                for column in range(columns):
                    totals[row, column] = 0
            for i in range(a.shape[1]):
                for row in range(rows):
                    column_of_a[row] = a[top + row, i]
                for column in range(columns):
                    number = b[i, left + column]
                    for row in range(rows):
                        totals[row, column] += column_of_a[row] * number
            for row in range(rows):
                for column in range(columns):
                    c[top + row, left + column] = totals[row, column]
