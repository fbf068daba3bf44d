# matmul.py fails 7.2-product.cost: too_costly
"""Holds a loop with a round for each number of a row: most do nothing."""

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
        inside = row < a.shape[0] and start + x < depth
        of_a[y, x] = a[row, start + x] if inside else zero
        inside = start + y < depth and column < b.shape[1]
        of_b[y, x] = b[start + y, column] if inside else zero
        cuda.syncthreads()
        for i in range(depth):  # wrong: each tile goes through the depth of all
            if start <= i and i < start + TILE:
                total += of_a[y, i - start] * of_b[i - start, x]
        cuda.syncthreads()
    if row < c.shape[0] and column < c.shape[1]:
        c[row, column] = total
