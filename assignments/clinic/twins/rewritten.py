# clinic.py fails 5.1-few, 5.2-few, 5.3-few, 5.4-few, 5.5-few, 5.6-few, 5.7-few, 5.8-few: failed
"""Patients that were not mended but replaced: right, and more than a few lines."""

from minitorch_cuda import cuda


@cuda.jit
def brighten(out, image, by):
    first = cuda.blockIdx.x * cuda.blockDim.x
    mine = first + cuda.threadIdx.x
    end = image.size
    while mine < end:  # wrong: a guard is one line
        out[mine] = image[mine] + by
        mine += cuda.gridsize(1)


@cuda.jit
def reverse_parts(out, a):
    here = cuda.threadIdx.x  # wrong: no shared memory, so no barrier: all is new
    start = cuda.blockIdx.x * BLOCK
    there = BLOCK - 1 - here
    number = a[start + there]
    out[start + here] = number


@cuda.jit
def histogram(counts, values):
    own = cuda.shared.array(BINS, cuda.int32)  # wrong: faster, but it is all new
    t = cuda.threadIdx.x
    if t < BINS:
        own[t] = 0
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.add(own, values[i], 1)
    cuda.syncthreads()
    if t < BINS:
        cuda.atomic.add(counts, t, own[t])


@cuda.jit
def part_sums(sums, a):
    t = cuda.threadIdx.x
    if t == 0:  # wrong: one thread does all, which mends it, too
        start = cuda.blockIdx.x * BLOCK
        total = cuda.float32(0)
        for k in range(start, min(start + BLOCK, a.size)):
            total += a[k]
        sums[cuda.blockIdx.x] = total


@cuda.jit
def running_sums(out, a):
    t = cuda.threadIdx.x
    total = cuda.float32(0)
    for k in range(t + 1):  # wrong: no rounds are left, and 2,080 additions
        total += a[k]
    out[t] = total


@cuda.jit
def smooth(out, a):
    i = cuda.grid(1)
    if i < a.size:  # wrong: shared memory is given up
        total = a[i]
        if i > 0:
            total += a[i - 1]
        if i + 1 < a.size:
            total += a[i + 1]
        out[i] = total / 3


@cuda.jit
def medians(out, a):
    i = cuda.grid(1)
    if i < a.shape[0]:
        for k in range(5):  # wrong: another way to find a median
            below = 0
            before = 0
            for j in range(5):
                below += a[i, j] < a[i, k]
                before += a[i, j] == a[i, k] and j < k
            if below + before == 2:
                out[i] = a[i, k]


@cuda.jit
def group_means(means, totals, counts):
    g = cuda.grid(1)
    if g < means.size:
        members = counts[g]  # wrong: a choice is one line
        total = totals[g]
        mean = 0
        if members > 0:
            mean = total // members
        means[g] = mean
