# reductions.py fails 6.3-sum.values, 6.3-sum.clean, 6.3-sum.cost: failed
"""Lanes that stop one step too early."""

from minitorch_cuda import cuda


@cuda.jit
def sum_shuffles(sums, a):
    warp_sums = cuda.shared.array(WARPS, cuda.float32)
    t = cuda.threadIdx.x
    total = a[cuda.grid(1)]
    for step in (16, 8, 4, 2):  # wrong: odd lanes are never added
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
