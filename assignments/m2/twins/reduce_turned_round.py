# minitorch/tensor_ops.py fails 2.3-reduce: failed
def tensor_reduce(fn):
    def _reduce(out, out_shape, out_strides, a, a_shape, a_strides, dim):
        index = [0] * len(out_shape)
        for ordinal in range(len(out)):
            to_index(ordinal, out_shape, index)
            at = index_to_position(index, out_strides)
            first = index_to_position(index, a_strides)
            for i in range(a_shape[dim]):
                out[at] = fn(a[first + i * a_strides[dim]], out[at])  # wrong: order

    return _reduce
