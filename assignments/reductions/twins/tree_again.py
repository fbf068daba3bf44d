# reductions.py fails 6.2-sum.cost: too_costly
"""Task 6.2 as task 6.1 has it: right, and as slow."""

from minitorch_cuda import cuda


@cuda.jit
def sum_sequential(sums, a):
    cells = cuda.shared.array(BLOCK, cuda.float32)
    t = cuda.threadIdx.x
    cells[t] = a[cuda.grid(1)]
    cuda.syncthreads()
    stride = 1
    while stride < BLOCK:
        if t % (2 * stride) == 0:  # wrong: in five rounds no warp rests
            cells[t] += cells[t + stride]
        cuda.syncthreads()
        stride *= 2
    if t == 0:
        sums[cuda.blockIdx.x] = cells[0]
