# reductions.py fails 6.3-sum.values, 6.3-sum.clean, 6.3-sum.cost: race_shared
"""A first warp that does not wait for the others."""

from minitorch_cuda import cuda


@cuda.jit
def sum_shuffles(sums, a):
    warp_sums = cuda.shared.array(WARPS, cuda.float32)
    t = cuda.threadIdx.x
    total = a[cuda.grid(1)]
    for step in (16, 8, 4, 2, 1):
        total += cuda.shfl_down_sync(ALL, total, step)
    if t % 32 == 0:
        warp_sums[t // 32] = total
    if t < 32:
        total = warp_sums[t] if t < WARPS else cuda.float32(0)  # wrong: too early
        for step in (4, 2, 1):
            total += cuda.shfl_down_sync(ALL, total, step)
        if t == 0:
            sums[cuda.blockIdx.x] = total
