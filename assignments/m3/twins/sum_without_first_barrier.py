# minitorch/cuda_ops.py fails 3.3-sum.clean, 3.3-sum.cost: race_shared


def _sum_practice(out, a, size):
    BLOCK_DIM = 32
    cache = cuda.shared.array(BLOCK_DIM, numba.float64)
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    pos = cuda.threadIdx.x
    cache[pos] = a[i] if i < size else 0.0  # wrong: nobody waits for the others
    half = BLOCK_DIM // 2
    while half > 0:
        if pos < half:
            cache[pos] += cache[pos + half]
        cuda.syncthreads()
        half //= 2
    if pos == 0:
        out[cuda.blockIdx.x] = cache[0]
