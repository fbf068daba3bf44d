"""Three kernels of c = a @ b: (m, k) @ (k, n) -> (m, n), all of float32.

Matrices lie in memory row by row. m, k and n may be any numbers from 1: of the last
blocks some threads have nothing to do. Task 7.4 is in matmul_float4.cu.
"""

from minitorch_cuda import cuda

TILE = 16  # task 7.2: a block of TILE x TILE threads makes as many cells of c
SIDE = 8  # task 7.3: a block has SIDE x SIDE threads
CELLS = 4  # task 7.3: each of them makes CELLS x CELLS cells of c
WIDE = SIDE * CELLS  # task 7.3: so a block makes WIDE x WIDE cells


@cuda.jit
def matmul_coalesced(c, a, b):
    """Task 7.1: a thread for each cell of c; neighbouring threads, neighbouring memory.

    Launch: blocks of (32, 8) threads, enough of them in x for the n columns of c, and
    in y for its m rows.
    """
    ### BEGIN SOLUTION
    column, row = cuda.grid(2)
    if row < c.shape[0] and column < c.shape[1]:
        total = cuda.float32(0)
        for i in range(a.shape[1]):
            total += a[row, i] * b[i, column]
        c[row, column] = total
    ### END SOLUTION


@cuda.jit
def matmul_tiled(c, a, b):
    """Task 7.2: the block brings tiles of a and b into shared memory, for all to use.

    Launch: blocks of (TILE, TILE) threads, enough of them for the n columns and the m
    rows of c. Cells of a tile that lie outside of a or b count as 0.
    """
    ### BEGIN SOLUTION
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
        for i in range(TILE):
            total += of_a[y, i] * of_b[i, x]
        cuda.syncthreads()
    if row < c.shape[0] and column < c.shape[1]:
        c[row, column] = total
    ### END SOLUTION


@cuda.jit
def matmul_blocked(c, a, b):
    """Task 7.3: each thread makes CELLS x CELLS cells of c from values in registers.

    A number that was read from shared memory is used CELLS times. Tiles: WIDE x SIDE of
    a, SIDE x WIDE of b. Neighbouring threads still store into neighbouring cells.

    Launch: blocks of (SIDE, SIDE) threads, each for WIDE x WIDE cells of c; enough of
    them for the n columns and the m rows.
    """
    ### BEGIN SOLUTION
    of_a = cuda.shared.array((WIDE, SIDE), cuda.float32)
    of_b = cuda.shared.array((SIDE, WIDE), cuda.float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    top, left = cuda.blockIdx.y * WIDE, cuda.blockIdx.x * WIDE
    t = y * SIDE + x
    zero = cuda.float32(0)
    totals = cuda.local.array((CELLS, CELLS), cuda.float32)
    for i in range(CELLS):
        for j in range(CELLS):
            totals[i, j] = zero
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
                    totals[i, j] += column_of_a[i] * of_row
        cuda.syncthreads()
    for i in range(CELLS):
        for j in range(CELLS):
            row, column = top + i * SIDE + y, left + j * SIDE + x
            if row < c.shape[0] and column < c.shape[1]:
                c[row, column] = totals[i, j]
    ### END SOLUTION
