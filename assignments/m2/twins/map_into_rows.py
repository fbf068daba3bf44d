# minitorch/tensor_ops.py fails 2.3-map: failed
def tensor_map(fn):
    def _map(out, out_shape, out_strides, in_storage, in_shape, in_strides):
        out_index, in_index = [0] * len(out_shape), [0] * len(in_shape)
        for ordinal in range(len(out)):
            to_index(ordinal, out_shape, out_index)
            broadcast_index(out_index, out_shape, in_shape, in_index)
            value = in_storage[index_to_position(in_index, in_strides)]
            out[ordinal] = fn(value)  # wrong: out has strides, too

    return _map
