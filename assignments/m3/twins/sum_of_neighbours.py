# minitorch/cuda_ops.py fails 3.3-sum.cost: too_costly


def _sum_practice(out, a, size):
    BLOCK_DIM = 32
    cache = cuda.shared.array(BLOCK_DIM, numba.float64)
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    pos = cuda.threadIdx.x
    cache[pos] = a[i] if i < size else 0.0
    cuda.syncthreads()
    half = 1
    while half < BLOCK_DIM:
        if pos < BLOCK_DIM // (2 * half):
            mine = 2 * half * pos
            cache[mine] += cache[mine + half]  # wrong: 2 * half apart, in few banks
        cuda.syncthreads()
        half *= 2
    if pos == 0:
        out[cuda.blockIdx.x] = cache[0]
