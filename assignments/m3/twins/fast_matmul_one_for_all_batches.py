# minitorch/fast_ops.py fails 3.2-batches: failed


def _tensor_matrix_multiply(
    out, out_shape, out_strides,
    a_storage, a_shape, a_strides, b_storage, b_shape, b_strides,
):  # fmt: skip
    a_batch_stride = a_strides[0]
    b_batch_stride = 0  # wrong: each batch may have a matrix of its own
    rows, columns, inner = out_shape[1], out_shape[2], a_shape[2]
    for row in prange(out_shape[0] * rows):
        batch, i = row // rows, row % rows
        for j in range(columns):
            a_cell = batch * a_batch_stride + i * a_strides[1]
            b_cell = batch * b_batch_stride + j * b_strides[2]
            total = 0.0
            for _ in range(inner):
                total += a_storage[a_cell] * b_storage[b_cell]
                a_cell += a_strides[2]
                b_cell += b_strides[1]
            place = batch * out_strides[0] + i * out_strides[1] + j * out_strides[2]
            out[place] = total
