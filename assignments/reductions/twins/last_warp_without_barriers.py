# reductions.py fails 6.2-sum.clean, 6.2-sum.cost: race_shared
"""An old trick: "a warp runs in step anyway"."""

from minitorch_cuda import cuda


@cuda.jit
def sum_sequential(sums, a):
    cells = cuda.shared.array(BLOCK, cuda.float32)
    t = cuda.threadIdx.x
    cells[t] = a[cuda.grid(1)]
    cuda.syncthreads()
    half = BLOCK // 2
    while half > 0:
        if t < half:
            cells[t] += cells[t + half]  # wrong: nothing keeps lanes in step
        if half > 32:
            cuda.syncthreads()
        half //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = cells[0]
