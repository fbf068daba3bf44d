# minitorch/cuda_ops.py fails 3.3-reduce.clean, 3.3-reduce.cost: race_shared


def tensor_reduce(fn: Callable[[float, float], float]) -> Any:

    def _reduce(
        out, out_shape, out_strides, out_size,
        a_storage, a_shape, a_strides, reduce_dim, reduce_value,
    ):  # fmt: skip
        BLOCK_DIM = 1024
        cache = cuda.shared.array(BLOCK_DIM, numba.float64)
        out_index = cuda.local.array(MAX_DIMS, numba.int32)
        out_pos = cuda.blockIdx.x
        pos = cuda.threadIdx.x
        if out_pos < out_size:  # true for all threads of a block, or for none
            to_index(out_pos, out_shape, out_index)
            place = index_to_position(out_index, out_strides)
            cell = out_index[reduce_dim] * BLOCK_DIM + pos
            size = min(a_shape[reduce_dim] - cell + pos, BLOCK_DIM)
            if pos < size:
                out_index[reduce_dim] = cell
                cache[pos] = a_storage[index_to_position(out_index, a_strides)]
            cuda.syncthreads()
            half = BLOCK_DIM // 2
            while half > 0:
                if half < size:  # else there is nothing to join yet
                    if pos < half and pos + half < size:
                        cache[pos] = fn(cache[pos], cache[pos + half])
                    if half >= 32:  # wrong: a warp need not run in step
                        cuda.syncthreads()
                half //= 2
            if pos == 0:
                out[place] = fn(reduce_value, cache[0])

    return cuda.jit()(_reduce)
