# reductions.py fails 6.2-sum.values, 6.2-sum.clean, 6.2-sum.cost: failed
"""A loop that ends a round too early."""

from minitorch_cuda import cuda


@cuda.jit
def sum_sequential(sums, a):
    cells = cuda.shared.array(BLOCK, cuda.float32)
    t = cuda.threadIdx.x
    cells[t] = a[cuda.grid(1)]
    cuda.syncthreads()
    half = BLOCK // 2
    while half > 1:  # wrong: cell 1 is never added
        if t < half:
            cells[t] += cells[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = cells[0]
