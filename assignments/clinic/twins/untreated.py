# clinic.py fails 5.1, 5.1-few, 5.2, 5.2-few, 5.3, 5.3-few, 5.4, 5.4-few, 5.5, 5.5-few, 5.6, 5.6-few, 5.7, 5.7-few, 5.8, 5.8-few: oob_global, race_shared, race_global, uninit_shared, barrier_divergence, oob_shared, oob_local, div_by_zero
"""The patients as they came: nobody has touched them."""

from minitorch_cuda import cuda


@cuda.jit
def brighten(out, image, by):
    i = cuda.grid(1)
    if i <= image.size:
        out[i] = image[i] + by  # wrong: i may be image.size


@cuda.jit
def reverse_parts(out, a):
    part = cuda.shared.array(BLOCK, cuda.float32)
    t = cuda.threadIdx.x
    start = cuda.blockIdx.x * BLOCK
    part[t] = a[start + t]
    out[start + t] = part[BLOCK - 1 - t]  # wrong: another thread may not have written


@cuda.jit
def histogram(counts, values):
    i = cuda.grid(1)
    if i < values.size:
        bin = values[i]
        counts[bin] += 1  # wrong: reads, adds, stores, and others do so meanwhile


@cuda.jit
def part_sums(sums, a):
    cells = cuda.shared.array(BLOCK, cuda.float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    if i < a.size:
        cells[t] = a[i]
    cuda.syncthreads()
    if t == 0:
        total = cuda.float32(0)
        for k in range(BLOCK):
            total += cells[k]  # wrong: threads without a number have written none
        sums[cuda.blockIdx.x] = total


@cuda.jit
def running_sums(out, a):
    cells = cuda.shared.array(BLOCK, cuda.float32)
    t = cuda.threadIdx.x
    cells[t] = a[t]
    cuda.syncthreads()
    step = 1
    while step < BLOCK:
        before = cells[t - step] if t >= step else cuda.float32(0)
        if t >= step:
            cuda.syncthreads()  # wrong: the other threads wait at the next barrier
            cells[t] += before
        cuda.syncthreads()
        step *= 2
    out[t] = cells[t]


@cuda.jit
def smooth(out, a):
    near = cuda.shared.array(BLOCK, cuda.float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    near[t + 1] = a[i] if i < a.size else 0  # wrong: the last thread writes cell BLOCK
    if t == 0:
        near[0] = a[i - 1] if i > 0 else 0
    if t == BLOCK - 1:
        near[BLOCK + 1] = a[i + 1] if i + 1 < a.size else 0
    cuda.syncthreads()
    if i < a.size:
        out[i] = (near[t] + near[t + 1] + near[t + 2]) / 3


@cuda.jit
def medians(out, a):
    i = cuda.grid(1)
    if i < a.shape[0]:
        row = cuda.local.array(5, cuda.float32)
        for k in range(5):
            row[k] = a[i, k]
        for _ in range(5):
            for k in range(5):
                if row[k] > row[k + 1]:  # wrong: there is no row[5]
                    row[k], row[k + 1] = row[k + 1], row[k]
        out[i] = row[2]


@cuda.jit
def group_means(means, totals, counts):
    g = cuda.grid(1)
    if g < means.size:
        means[g] = totals[g] // counts[g]  # wrong: a group may have no members
