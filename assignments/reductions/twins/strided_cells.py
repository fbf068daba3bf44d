# reductions.py fails 6.2-sum.cost: too_costly
"""Threads side by side whose cells are not: bank conflicts."""

from minitorch_cuda import cuda


@cuda.jit
def sum_sequential(sums, a):
    cells = cuda.shared.array(BLOCK, cuda.float32)
    t = cuda.threadIdx.x
    cells[t] = a[cuda.grid(1)]
    cuda.syncthreads()
    stride = 1
    while stride < BLOCK:
        mine = 2 * stride * t
        if mine < BLOCK:
            cells[mine] += cells[mine + stride]  # wrong: lanes meet in few banks
        cuda.syncthreads()
        stride *= 2
    if t == 0:
        sums[cuda.blockIdx.x] = cells[0]
