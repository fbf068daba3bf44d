# reductions.py fails 6.4-sum.values, 6.4-sum.clean, 6.4-sum.cost: oob_global
"""Rounds of the whole grid that do not look where the array ends."""

from minitorch_cuda import cuda


@cuda.jit
def sum_all(out, a):
    warp_sums = cuda.shared.array(WARPS, cuda.float32)
    t = cuda.threadIdx.x
    total = cuda.float32(0)
    for start in range(0, a.size, cuda.gridsize(1)):
        total += a[start + cuda.grid(1)]  # wrong: the last round goes beyond
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
