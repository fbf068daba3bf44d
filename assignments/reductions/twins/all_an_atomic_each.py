# reductions.py fails 6.4-sum.cost: too_costly
"""A sum in which every number goes to memory by an atomic of its own."""

from minitorch_cuda import cuda


@cuda.jit
def sum_all(out, a):
    for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
        cuda.atomic.add(out, 0, a[i])  # wrong: a sector of out for each warp, each time
