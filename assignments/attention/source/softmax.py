"""Tasks 9.1 and 9.2: the softmax of each row, in one launch.

Kernels of `minitorch_cuda.cuda`; nothing here touches the host's values.
"""

from __future__ import annotations

import math

from minitorch_cuda import cuda

THREADS = 128


@cuda.jit
def fused_softmax(out, x):
    """Task 9.1. out[r] = softmax(x[r]): a block for each row, of at most THREADS cells.

    Shapes: x, out (rows, n), float32, n <= THREADS. Launch: [rows, THREADS].
    Each cell of x is read once, each cell of out is written once.
    """
    ### BEGIN SOLUTION
    shared = cuda.shared.array(THREADS, cuda.float32)
    row = cuda.blockIdx.x
    i = cuda.threadIdx.x
    n = x.shape[1]
    value = cuda.float32(-math.inf)
    if i < n:
        value = x[row, i]
    shared[i] = value
    cuda.syncthreads()
    half = THREADS // 2
    while half > 0:
        if i < half:
            shared[i] = max(shared[i], shared[i + half])
        cuda.syncthreads()
        half //= 2
    highest = shared[0]
    cuda.syncthreads()  # all have read the highest before its cell is used again
    share = math.exp(value - highest)  # 0 beyond the row
    shared[i] = share
    cuda.syncthreads()
    half = THREADS // 2
    while half > 0:
        if i < half:
            shared[i] += shared[i + half]
        cuda.syncthreads()
        half //= 2
    if i < n:
        out[row, i] = share / shared[0]
    ### END SOLUTION


@cuda.jit
def online_softmax(out, x):
    """Task 9.2. out[r] = softmax(x[r]) for rows of any length: a block for each row.

    Shapes: x, out (rows, n), float32, n >= 1. Launch: [rows, THREADS]. x is read twice,
    not three times: the highest value and the sum are found in one pass.
    """
    ### BEGIN SOLUTION
    tops = cuda.shared.array(THREADS, cuda.float32)
    sums = cuda.shared.array(THREADS, cuda.float32)
    row = cuda.blockIdx.x
    i = cuda.threadIdx.x
    n = x.shape[1]
    top = cuda.float32(-math.inf)
    total = cuda.float32(0.0)  # of exp(x - top), over what this thread has seen
    for at in range(i, n, THREADS):
        value = x[row, at]
        if value > top:
            total = total * math.exp(top - value) + cuda.float32(1.0)
            top = value
        else:
            total += math.exp(value - top)
    tops[i] = top
    sums[i] = total
    cuda.syncthreads()
    half = THREADS // 2
    while half > 0:
        if i < half and i + half < n:  # beyond n, a thread has seen nothing
            high = max(tops[i], tops[i + half])
            mine = sums[i] * math.exp(tops[i] - high)
            sums[i] = mine + sums[i + half] * math.exp(tops[i + half] - high)
            tops[i] = high
        cuda.syncthreads()
        half //= 2
    for at in range(i, n, THREADS):
        out[row, at] = math.exp(x[row, at] - tops[0]) / sums[0]
    ### END SOLUTION
