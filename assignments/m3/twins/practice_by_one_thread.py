# minitorch/cuda_ops.py fails 3.4-practice.cost: too_costly


def _mm_practice(out, a, b, size):
    BLOCK_DIM = 32
    a_shared = cuda.shared.array((BLOCK_DIM, BLOCK_DIM), numba.float64)
    b_shared = cuda.shared.array((BLOCK_DIM, BLOCK_DIM), numba.float64)
    product = cuda.shared.array((BLOCK_DIM, BLOCK_DIM), numba.float64)
    i = cuda.threadIdx.y
    j = cuda.threadIdx.x
    if i < size and j < size:
        a_shared[i, j] = a[i * size + j]
        b_shared[i, j] = b[i * size + j]
    cuda.syncthreads()
    if i == 0 and j == 0:  # wrong: one thread makes all cells, the others wait
        for row in range(size):
            for column in range(size):
                total = 0.0
                for k in range(size):
                    total += a_shared[row, k] * b_shared[k, column]
                product[row, column] = total
    cuda.syncthreads()
    if i < size and j < size:
        out[i * size + j] = product[i, j]
