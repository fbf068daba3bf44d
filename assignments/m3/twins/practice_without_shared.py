# minitorch/cuda_ops.py fails 3.4-practice.cost: too_costly


def _mm_practice(out, a, b, size):
    BLOCK_DIM = 32
    a_shared = cuda.shared.array((BLOCK_DIM, BLOCK_DIM), numba.float64)
    b_shared = cuda.shared.array((BLOCK_DIM, BLOCK_DIM), numba.float64)
    i = cuda.threadIdx.y
    j = cuda.threadIdx.x  # neighbours in a warp read neighbours in a row
    if i < size and j < size:
        a_shared[i, j] = a[i * size + j]
        b_shared[i, j] = b[i * size + j]
    cuda.syncthreads()
    if i < size and j < size:
        total = 0.0
        for k in range(size):
            total += a[i * size + k] * b[k * size + j]  # wrong: reads each cell often
        out[i * size + j] = total
