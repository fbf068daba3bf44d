# minitorch/cuda_ops.py fails nothing: race_benign


def tensor_zip(fn):
    def _zip(
        out, out_shape, out_strides, out_size,
        a_storage, a_shape, a_strides, b_storage, b_shape, b_strides,
    ):  # fmt: skip
        out_index = cuda.local.array(MAX_DIMS, numba.int32)
        a_index = cuda.local.array(MAX_DIMS, numba.int32)
        b_index = cuda.local.array(MAX_DIMS, numba.int32)
        i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
        i = i % out_size  # wrong: threads without a cell store into those of others
        to_index(i, out_shape, out_index)
        broadcast_index(out_index, out_shape, a_shape, a_index)
        broadcast_index(out_index, out_shape, b_shape, b_index)
        x = a_storage[index_to_position(a_index, a_strides)]
        y = b_storage[index_to_position(b_index, b_strides)]
        out[index_to_position(out_index, out_strides)] = fn(x, y)

    return cuda.jit()(_zip)
