# reductions.py fails 6.4-sum.cost: too_costly
"""Threads that take a stretch each: neighbours read far apart."""

from minitorch_cuda import cuda


@cuda.jit
def sum_all(out, a):
    warp_sums = cuda.shared.array(WARPS, cuda.float32)
    t = cuda.threadIdx.x
    threads = cuda.gridsize(1)
    each = (a.size + threads - 1) // threads
    first = cuda.grid(1) * each
    total = cuda.float32(0)
    for i in range(first, min(first + each, a.size)):
        total += a[i]  # wrong: a warp's lanes are `each` numbers apart
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
