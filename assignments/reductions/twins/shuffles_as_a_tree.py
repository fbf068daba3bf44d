# reductions.py fails 6.3-sum.cost: too_costly
"""Task 6.3 as task 6.2 has it: no shuffle, nine barriers."""

from minitorch_cuda import cuda


@cuda.jit
def sum_shuffles(sums, a):
    cells = cuda.shared.array(BLOCK, cuda.float32)
    t = cuda.threadIdx.x
    cells[t] = a[cuda.grid(1)]
    cuda.syncthreads()
    half = BLOCK // 2
    while half > 0:
        if t < half:
            cells[t] += cells[t + half]
        cuda.syncthreads()  # wrong: a barrier for each round
        half //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = cells[0]
