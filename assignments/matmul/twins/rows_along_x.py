# matmul.py fails 7.1-product.cost: too_costly
"""Owns blocks in which a warp goes down a column: right, and 32 sectors a load."""

from minitorch_cuda import cuda


@cuda.jit
def matmul_coalesced(c, a, b):
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    column = cuda.blockIdx.x * 32 + x // 8 * 8 + y
    row = cuda.blockIdx.y * 8 + x % 8  # wrong: neighbouring threads, other rows
    if row < c.shape[0] and column < c.shape[1]:
        total = cuda.float32(0)
        for i in range(a.shape[1]):
            total += a[row, i] * b[i, column]
        c[row, column] = total
