# matmul.py fails 7.2-product.values, 7.2-product.clean, 7.2-product.cost: oob_global
"""Owns tiles that are filled from beyond the matrix."""

from minitorch_cuda import cuda


@cuda.jit
def matmul_tiled(c, a, b):
    of_a = cuda.shared.array((TILE, TILE), cuda.float32)
    of_b = cuda.shared.array((TILE, TILE), cuda.float32)
    column, row = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    depth = a.shape[1]
    zero = cuda.float32(0)
    total = zero
    for start in range(0, depth, TILE):
        of_a[y, x] = a[row, start + x]  # wrong: may lie outside of a
        inside = start + y < depth and column < b.shape[1]
        of_b[y, x] = b[start + y, column] if inside else zero
        cuda.syncthreads()
        for i in range(TILE):
            total += of_a[y, i] * of_b[i, x]
        cuda.syncthreads()
    if row < c.shape[0] and column < c.shape[1]:
        c[row, column] = total
