# minitorch/fast_ops.py fails 3.1-reduce: failed


def tensor_reduce(fn: Callable[[float, float], float]) -> Any:

    def _reduce(out, out_shape, out_strides, a_storage, a_shape, a_strides, reduce_dim):
        for i in prange(len(out)):
            index = np.empty(MAX_DIMS, np.int32)
            to_index(i, out_shape, index)
            place = index_to_position(index, out_strides)
            cell = index_to_position(index, a_strides)
            total = 0.0  # wrong: out holds the value to start with
            for _ in range(a_shape[reduce_dim]):
                total = fn(total, a_storage[cell])
                cell += a_strides[reduce_dim]
            out[place] = total

    return njit(parallel=True)(_reduce)
