# softmax.py fails 9.2-small, 9.2-online.clean, 9.2-online.cost: race_shared
import math

from minitorch_cuda import cuda


@cuda.jit
def online_softmax(out, x):
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
    if i == 0:
        sums[0] = cuda.float32(1.0) / sums[0]  # wrong: nobody waits for it
    for at in range(i, n, THREADS):
        out[row, at] = math.exp(x[row, at] - tops[0]) * sums[0]
