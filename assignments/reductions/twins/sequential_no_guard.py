# reductions.py fails 6.2-sum.values, 6.2-sum.clean, 6.2-sum.cost: oob_shared
"""A tree in which every thread adds in every round."""

from minitorch_cuda import cuda


@cuda.jit
def sum_sequential(sums, a):
    cells = cuda.shared.array(BLOCK, cuda.float32)
    t = cuda.threadIdx.x
    cells[t] = a[cuda.grid(1)]
    cuda.syncthreads()
    half = BLOCK // 2
    while half > 0:
        cells[t] += cells[t + half]  # wrong: the second half has nothing to add
        cuda.syncthreads()
        half //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = cells[0]
