# matmul.py fails 7.3-product.clean, 7.3-product.cost: uninit_local
"""Owns sums that begin with whatever lay in the registers."""

from minitorch_cuda import cuda


@cuda.jit
def matmul_blocked(c, a, b):
    of_a = cuda.shared.array((WIDE, SIDE), cuda.float32)
    of_b = cuda.shared.array((SIDE, WIDE), cuda.float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    top, left = cuda.blockIdx.y * WIDE, cuda.blockIdx.x * WIDE
    t = y * SIDE + x
    zero = cuda.float32(0)
    totals = cuda.local.array((CELLS, CELLS), cuda.float32)
    column_of_a = cuda.local.array(CELLS, cuda.float32)
    for start in range(0, a.shape[1], SIDE):
        for i in range(CELLS):
            row, column = top + i * SIDE + y, start + x
            inside = row < a.shape[0] and column < a.shape[1]
            of_a[i * SIDE + y, x] = a[row, column] if inside else zero
        for i in range(CELLS):  # in a round two rows of the tile, 32 numbers each
            down, along = 2 * i + t // WIDE, t % WIDE
            row, column = start + down, left + along
            inside = row < b.shape[0] and column < b.shape[1]
            of_b[down, along] = b[row, column] if inside else zero
        cuda.syncthreads()
        for k in range(SIDE):
            for i in range(CELLS):
                column_of_a[i] = of_a[i * SIDE + y, k]
            for j in range(CELLS):
                of_row = of_b[k, j * SIDE + x]
                for i in range(CELLS):
                    totals[i, j] += column_of_a[i] * of_row  # wrong: += to what?
        cuda.syncthreads()
    for i in range(CELLS):
        for j in range(CELLS):
            row, column = top + i * SIDE + y, left + j * SIDE + x
            if row < c.shape[0] and column < c.shape[1]:
                c[row, column] = totals[i, j]
