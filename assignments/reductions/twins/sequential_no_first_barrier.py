# reductions.py fails 6.2-sum.values, 6.2-sum.clean, 6.2-sum.cost: race_shared
"""A tree that begins before all cells are filled."""

from minitorch_cuda import cuda


@cuda.jit
def sum_sequential(sums, a):
    cells = cuda.shared.array(BLOCK, cuda.float32)
    t = cuda.threadIdx.x
    cells[t] = a[cuda.grid(1)]
    half = BLOCK // 2
    while half > 0:
        if t < half:
            cells[t] += cells[t + half]  # wrong: thread t + half may be late
        cuda.syncthreads()
        half //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = cells[0]
