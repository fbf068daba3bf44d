# reductions.py fails 6.4-sum.values, 6.4-sum.clean, 6.4-sum.cost: failed
"""A grid that is thought to be as large as the array."""

from minitorch_cuda import cuda


@cuda.jit
def sum_all(out, a):
    i = cuda.grid(1)
    total = a[i] if i < a.size else cuda.float32(0)  # wrong: there may be more numbers
    for step in (16, 8, 4, 2, 1):
        total += cuda.shfl_down_sync(ALL, total, step)
    if cuda.threadIdx.x % 32 == 0:
        cuda.atomic.add(out, 0, total)
