# minitorch/cuda_ops.py fails 3.3-sum.values, 3.3-sum.clean, 3.3-sum.cost: oob_global


def _sum_practice(out, a, size):
    BLOCK_DIM = 32
    cache = cuda.shared.array(BLOCK_DIM, numba.float64)
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    pos = cuda.threadIdx.x
    cache[pos] = a[i]  # wrong: the last block may be half empty
    cuda.syncthreads()
    half = BLOCK_DIM // 2
    while half > 0:
        if pos < half:
            cache[pos] += cache[pos + half]
        cuda.syncthreads()
        half //= 2
    if pos == 0:
        out[cuda.blockIdx.x] = cache[0]
