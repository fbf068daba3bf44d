# softmax.py fails 9.1-small, 9.1-fused.values, 9.1-fused.clean, 9.1-fused.cost: race_shared
import math

from minitorch_cuda import cuda


@cuda.jit
def fused_softmax(out, x):
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
    # wrong: thread 0 may overwrite the highest before others have read it
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
