# minitorch/cuda_ops.py fails 3.3-map.clean, 3.3-map.cost: uninit_global


def tensor_map(fn: Callable[[float], float]) -> Any:

    def _map(out, out_shape, out_strides, out_size, in_storage, in_shape, in_strides):
        out_index = cuda.local.array(MAX_DIMS, numba.int32)
        in_index = cuda.local.array(MAX_DIMS, numba.int32)
        i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
        if i < out_size:
            to_index(i, out_shape, out_index)
            broadcast_index(out_index, out_shape, in_shape, in_index)
            value = in_storage[index_to_position(in_index, in_strides)]
            place = index_to_position(out_index, out_strides)
            if out[place] != fn(value):  # wrong: nobody has written out before
                out[place] = fn(value)

    return cuda.jit()(_map)
