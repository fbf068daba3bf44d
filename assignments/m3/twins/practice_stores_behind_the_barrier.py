# minitorch/cuda_ops.py fails 3.4-practice.clean, 3.4-practice.cost: race_shared


def _mm_practice(out, a, b, size):
    BLOCK_DIM = 32
    a_shared = cuda.shared.array((BLOCK_DIM, BLOCK_DIM), numba.float64)
    b_shared = cuda.shared.array((BLOCK_DIM, BLOCK_DIM), numba.float64)
    i = cuda.threadIdx.y
    j = cuda.threadIdx.x  # neighbours in a warp read neighbours in a row
    if i < size and j < size:
        b_shared[i, j] = b[i * size + j]
    cuda.syncthreads()
    if i < size and j < size:
        a_shared[i, j] = a[i * size + j]  # wrong: nobody waits for this
        total = 0.0
        for k in range(size):
            total += a_shared[i, k] * b_shared[k, j]
        out[i * size + j] = total
