# reductions.py fails 6.3-sum.clean, 6.3-sum.cost: uninit_shared
"""A first warp that reads a cell for each lane, though there are eight."""

from minitorch_cuda import cuda


@cuda.jit
def sum_shuffles(sums, a):
    warp_sums = cuda.shared.array(32, cuda.float32)
    t = cuda.threadIdx.x
    total = a[cuda.grid(1)]
    for step in (16, 8, 4, 2, 1):
        total += cuda.shfl_down_sync(ALL, total, step)
    if t % 32 == 0:
        warp_sums[t // 32] = total
    cuda.syncthreads()
    if t < 32:
        total = warp_sums[t]  # wrong: nobody wrote the cells from WARPS on
        for step in (16, 8, 4, 2, 1):
            total += cuda.shfl_down_sync(ALL, total, step)
        if t == 0:
            sums[cuda.blockIdx.x] = total
