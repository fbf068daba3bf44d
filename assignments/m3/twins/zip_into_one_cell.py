# minitorch/cuda_ops.py fails 3.3-zip.values, 3.3-zip.clean, 3.3-zip.cost: race_global


def tensor_zip(fn: Callable[[float, float], float]) -> Any:

    def _zip(
        out, out_shape, out_strides, out_size,
        a_storage, a_shape, a_strides, b_storage, b_shape, b_strides,
    ):  # fmt: skip
        out_index = cuda.local.array(MAX_DIMS, numba.int32)
        a_index = cuda.local.array(MAX_DIMS, numba.int32)
        b_index = cuda.local.array(MAX_DIMS, numba.int32)
        i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
        if i < out_size:
            to_index(i, out_shape, out_index)
            broadcast_index(out_index, out_shape, a_shape, a_index)
            broadcast_index(out_index, out_shape, b_shape, b_index)
            x = a_storage[index_to_position(a_index, a_strides)]
            y = b_storage[index_to_position(b_index, b_strides)]
            out[0] = fn(x, y)  # wrong: all threads store into one cell

    return cuda.jit()(_zip)
