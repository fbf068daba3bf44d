# minitorch/fast_ops.py fails 3.1-zip, 3.5-train: failed


def tensor_zip(fn: Callable[[float, float], float]) -> Any:

    def _zip(
        out, out_shape, out_strides,
        a_storage, a_shape, a_strides, b_storage, b_shape, b_strides,
    ):  # fmt: skip
        aligned = same_layout(out_shape, out_strides, a_shape, a_strides)
        if aligned:  # wrong: b may lie in another way
            for i in prange(len(out)):
                out[i] = fn(a_storage[i], b_storage[i])
        else:
            for i in prange(len(out)):
                out_index = np.empty(MAX_DIMS, np.int32)
                a_index = np.empty(MAX_DIMS, np.int32)
                b_index = np.empty(MAX_DIMS, np.int32)
                to_index(i, out_shape, out_index)
                broadcast_index(out_index, out_shape, a_shape, a_index)
                broadcast_index(out_index, out_shape, b_shape, b_index)
                x = a_storage[index_to_position(a_index, a_strides)]
                y = b_storage[index_to_position(b_index, b_strides)]
                out[index_to_position(out_index, out_strides)] = fn(x, y)

    return njit(parallel=True)(_zip)
