"""Eight of the clinic's patients: kernels in Python, one planted fault in each.

Every kernel says what it is for and how it is launched. Mend it in as few lines as you
can, and write the kind of its fault into answers.py. The other four patients are in
patients/*.cu. `from numba import cuda` works as well as the import below.
"""

from minitorch_cuda import cuda

BLOCK = 64  # threads of a block, in every launch of this file
BINS = 16


@cuda.jit
def brighten(out, image, by):
    """Task 5.1: out[i] = image[i] + by, for every pixel.

    Launch: blocks of BLOCK threads, a thread for each pixel. The last block may have
    threads without one.
    """
    i = cuda.grid(1)
    ### BEGIN SOLUTION
    ### BEGIN STARTER
    # if i <= image.size:
    #     out[i] = image[i] + by
    ### END STARTER
    if i < image.size:
        out[i] = image[i] + by
    ### END SOLUTION


@cuda.jit
def reverse_parts(out, a):
    """Task 5.2: each block turns its BLOCK numbers round: the last becomes the first.

    Launch: blocks of BLOCK threads; a.size is a multiple of BLOCK.
    """
    part = cuda.shared.array(BLOCK, cuda.float32)
    t = cuda.threadIdx.x
    start = cuda.blockIdx.x * BLOCK
    part[t] = a[start + t]
    ### BEGIN SOLUTION
    ### BEGIN STARTER
    ### END STARTER
    cuda.syncthreads()
    ### END SOLUTION
    out[start + t] = part[BLOCK - 1 - t]


@cuda.jit
def histogram(counts, values):
    """Task 5.3: counts[v] is how many of the values are v; they are 0 ... BINS - 1.

    Launch: blocks of BLOCK threads, a thread for each value; counts begins with zeros.
    """
    i = cuda.grid(1)
    if i < values.size:
        bin = values[i]
        ### BEGIN SOLUTION
        ### BEGIN STARTER
        # counts[bin] += 1
        ### END STARTER
        cuda.atomic.add(counts, bin, 1)
        ### END SOLUTION


@cuda.jit
def part_sums(sums, a):
    """Task 5.4: sums[b] is the sum of the numbers of block b.

    Launch: blocks of BLOCK threads, a thread for each number. The last block may have
    threads without one.
    """
    cells = cuda.shared.array(BLOCK, cuda.float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    ### BEGIN SOLUTION
    ### BEGIN STARTER
    # if i < a.size:
    #     cells[t] = a[i]
    ### END STARTER
    cells[t] = a[i] if i < a.size else 0
    ### END SOLUTION
    cuda.syncthreads()
    if t == 0:
        total = cuda.float32(0)
        for k in range(BLOCK):
            total += cells[k]
        sums[cuda.blockIdx.x] = total


@cuda.jit
def running_sums(out, a):
    """Task 5.5: out[i] is a[0] + ... + a[i].

    Launch: one block of BLOCK threads; a.size is BLOCK. In each round every thread adds
    what lies `step` before its own cell; step doubles.
    """
    cells = cuda.shared.array(BLOCK, cuda.float32)
    t = cuda.threadIdx.x
    cells[t] = a[t]
    cuda.syncthreads()
    step = 1
    while step < BLOCK:
        before = cells[t - step] if t >= step else cuda.float32(0)
        ### BEGIN SOLUTION
        ### BEGIN STARTER
        # if t >= step:
        #     cuda.syncthreads()
        #     cells[t] += before
        ### END STARTER
        cuda.syncthreads()
        if t >= step:
            cells[t] += before
        ### END SOLUTION
        cuda.syncthreads()
        step *= 2
    out[t] = cells[t]


@cuda.jit
def smooth(out, a):
    """Task 5.6: out[i] is the mean of a[i - 1], a[i] and a[i + 1]; 0 beyond both ends.

    Launch: blocks of BLOCK threads, a thread for each cell. A block keeps its cells and
    one neighbour at each side in shared memory.
    """
    ### BEGIN SOLUTION
    ### BEGIN STARTER
    # near = cuda.shared.array(BLOCK, cuda.float32)
    ### END STARTER
    near = cuda.shared.array(BLOCK + 2, cuda.float32)
    ### END SOLUTION
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    near[t + 1] = a[i] if i < a.size else 0
    if t == 0:
        near[0] = a[i - 1] if i > 0 else 0
    if t == BLOCK - 1:
        near[BLOCK + 1] = a[i + 1] if i + 1 < a.size else 0
    cuda.syncthreads()
    if i < a.size:
        out[i] = (near[t] + near[t + 1] + near[t + 2]) / 3


@cuda.jit
def medians(out, a):
    """Task 5.7: out[i] is the median of a[i, 0] ... a[i, 4].

    Launch: blocks of BLOCK threads, a thread for each row. A thread sorts five cells of
    its own: neighbours that stand in the wrong order change places, five times over.
    """
    i = cuda.grid(1)
    if i < a.shape[0]:
        row = cuda.local.array(5, cuda.float32)
        for k in range(5):
            row[k] = a[i, k]
        for _ in range(5):
            ### BEGIN SOLUTION
            ### BEGIN STARTER
            # for k in range(5):
            #     if row[k] > row[k + 1]:
            #         row[k], row[k + 1] = row[k + 1], row[k]
            ### END STARTER
            for k in range(4):
                if row[k] > row[k + 1]:
                    row[k], row[k + 1] = row[k + 1], row[k]
            ### END SOLUTION
        out[i] = row[2]


@cuda.jit
def group_means(means, totals, counts):
    """Task 5.8: means[g] is totals[g] // counts[g], and 0 for a group with no members.

    Launch: blocks of BLOCK threads, a thread for each group; all are whole numbers.
    """
    g = cuda.grid(1)
    if g < means.size:
        ### BEGIN SOLUTION
        ### BEGIN STARTER
        # means[g] = totals[g] // counts[g]
        ### END STARTER
        means[g] = totals[g] // counts[g] if counts[g] > 0 else 0
        ### END SOLUTION
