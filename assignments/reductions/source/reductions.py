"""Four kernels that sum numbers: the same sum, each time at a lower price.

Task 6.1 is given: run it, look at it, and answer the questions in answers.py. In tasks
6.2 to 6.4 the signatures and the launches are fixed, the rest is yours.
"""

from minitorch_cuda import cuda

BLOCK = 256  # threads of a block, in every launch
WARPS = BLOCK // 32
ALL = 0xFFFFFFFF  # the mask of a shuffle in which all lanes of a warp take part


@cuda.jit
def sum_divergent(sums, a):
    """Task 6.1 (given): sums[b] is the sum of the BLOCK numbers of block b.

    In each round every second of the threads that are left adds its neighbour's cell:
    thread 0 adds cell 1, thread 2 adds cell 3; then 0 adds 2, 4 adds 6; and so on.

    Launch: blocks of BLOCK threads; a.size is a multiple of BLOCK.
    """
    cells = cuda.shared.array(BLOCK, cuda.float32)
    t = cuda.threadIdx.x
    cells[t] = a[cuda.grid(1)]
    cuda.syncthreads()
    stride = 1
    while stride < BLOCK:
        if t % (2 * stride) == 0:
            cells[t] += cells[t + stride]
        cuda.syncthreads()
        stride *= 2
    if t == 0:
        sums[cuda.blockIdx.x] = cells[0]


@cuda.jit
def sum_sequential(sums, a):
    """Task 6.2: the same sums, but the threads that add stand side by side.

    In each round the first half of the threads that are left adds the cells of the
    second half: whole warps have nothing to do, and neighbours use neighbouring cells.

    Launch: blocks of BLOCK threads; a.size is a multiple of BLOCK.
    """
    ### BEGIN SOLUTION
    cells = cuda.shared.array(BLOCK, cuda.float32)
    t = cuda.threadIdx.x
    cells[t] = a[cuda.grid(1)]
    cuda.syncthreads()
    half = BLOCK // 2
    while half > 0:
        if t < half:
            cells[t] += cells[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = cells[0]
    ### END SOLUTION


@cuda.jit
def sum_shuffles(sums, a):
    """Task 6.3: the same sums, but the lanes of a warp give each other theirs.

    A shuffle needs neither shared memory nor a barrier. Only the sums of the warps go
    through shared memory: WARPS cells, one barrier, and the first warp adds them.

    Launch: blocks of BLOCK threads; a.size is a multiple of BLOCK.
    """
    ### BEGIN SOLUTION
    warp_sums = cuda.shared.array(WARPS, cuda.float32)
    t = cuda.threadIdx.x
    total = a[cuda.grid(1)]
    for step in (16, 8, 4, 2, 1):
        total += cuda.shfl_down_sync(ALL, total, step)
    if t % 32 == 0:
        warp_sums[t // 32] = total
    cuda.syncthreads()
    if t < 32:
        total = warp_sums[t] if t < WARPS else cuda.float32(0)
        for step in (4, 2, 1):
            total += cuda.shfl_down_sync(ALL, total, step)
        if t == 0:
            sums[cuda.blockIdx.x] = total
    ### END SOLUTION


@cuda.jit
def sum_all(out, a):
    """Task 6.4: adds the sum of all of a to out[0], for any size of a and any grid.

    Each thread first adds up numbers that lie a whole grid apart, then the block's sums
    are joined as before. Only one thread of a block touches out.

    Launch: any number of blocks of BLOCK threads; out[0] begins as 0.
    """
    ### BEGIN SOLUTION
    warp_sums = cuda.shared.array(WARPS, cuda.float32)
    t = cuda.threadIdx.x
    total = cuda.float32(0)
    for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
        total += a[i]
    for step in (16, 8, 4, 2, 1):
        total += cuda.shfl_down_sync(ALL, total, step)
    if t % 32 == 0:
        warp_sums[t // 32] = total
    cuda.syncthreads()
    if t < 32:
        total = warp_sums[t] if t < WARPS else cuda.float32(0)
        for step in (4, 2, 1):
            total += cuda.shfl_down_sync(ALL, total, step)
        if t == 0:
            cuda.atomic.add(out, 0, total)
    ### END SOLUTION
