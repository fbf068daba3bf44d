# minitorch/cuda_ops.py fails 3.3-map.values, 3.3-map.clean, 3.3-map.cost: oob_global


def tensor_map(fn: Callable[[float], float]) -> Any:

    def _map(out, out_shape, out_strides, out_size, in_storage, in_shape, in_strides):
        out_index = cuda.local.array(MAX_DIMS, numba.int32)
        in_index = cuda.local.array(MAX_DIMS, numba.int32)
        i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
        if i < out_size:
            to_index(i, out_shape, out_index)
            broadcast_index(out_index, out_shape, out_shape, in_index)  # wrong
            value = in_storage[index_to_position(in_index, in_strides)]
            out[index_to_position(out_index, out_strides)] = fn(value)

    return cuda.jit()(_map)
