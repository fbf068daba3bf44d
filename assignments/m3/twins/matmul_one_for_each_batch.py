# minitorch/cuda_ops.py fails 3.4-matmul.values, 3.4-matmul.clean, 3.4-matmul.cost: oob_global


def _tensor_matrix_multiply(
    out, out_shape, out_strides, out_size,
    a_storage, a_shape, a_strides, b_storage, b_shape, b_strides,
):  # fmt: skip
    BLOCK_DIM = 32
    a_batch_stride = a_strides[0] if a_shape[0] > 1 else 0
    b_batch_stride = b_strides[0]  # wrong: a batch of 1 serves all
    batch = cuda.blockIdx.z
    a_shared = cuda.shared.array((BLOCK_DIM, BLOCK_DIM), numba.float64)
    b_shared = cuda.shared.array((BLOCK_DIM, BLOCK_DIM), numba.float64)
    pi = cuda.threadIdx.y
    pj = cuda.threadIdx.x  # neighbours in a warp read neighbours in a row
    i = cuda.blockIdx.x * BLOCK_DIM + pi
    j = cuda.blockIdx.y * BLOCK_DIM + pj
    rows, columns, inner = out_shape[1], out_shape[2], a_shape[2]
    a_row = batch * a_batch_stride + i * a_strides[1]
    b_column = batch * b_batch_stride + j * b_strides[2]
    total = 0.0
    for start in range(0, inner, BLOCK_DIM):
        if i < rows and start + pj < inner:
            a_shared[pi, pj] = a_storage[a_row + (start + pj) * a_strides[2]]
        if start + pi < inner and j < columns:
            b_shared[pi, pj] = b_storage[b_column + (start + pi) * b_strides[1]]
        cuda.syncthreads()
        if i < rows and j < columns:
            for k in range(min(BLOCK_DIM, inner - start)):
                total += a_shared[pi, k] * b_shared[k, pj]
        cuda.syncthreads()
    if i < rows and j < columns:
        place = batch * out_strides[0] + i * out_strides[1] + j * out_strides[2]
        out[place] = total
