# minitorch/fast_ops.py fails 3.1-map, 3.5-train: failed


def tensor_map(fn: Callable[[float], float]) -> Any:

    def _map(out, out_shape, out_strides, in_storage, in_shape, in_strides):
        if same_layout(out_shape, out_strides, in_shape, in_strides):
            for i in prange(len(out)):
                out[i] = fn(in_storage[i])
        else:
            for i in prange(len(out)):
                out_index = np.empty(MAX_DIMS, np.int32)
                in_index = np.empty(MAX_DIMS, np.int32)
                to_index(i, out_shape, out_index)
                broadcast_index(out_index, out_shape, in_shape, in_index)
                value = in_storage[i % len(in_storage)]  # wrong: not its place
                out[index_to_position(out_index, out_strides)] = fn(value)

    return njit(parallel=True)(_map)
