# minitorch/tensor_ops.py fails 2.3-reduce, 2.3-functions, 2.4-shapes, 2.5-training: failed
def tensor_reduce(fn):
    def _reduce(out, out_shape, out_strides, a, a_shape, a_strides, dim):
        index = [0] * len(out_shape)
        for ordinal in range(len(out)):
            to_index(ordinal, out_shape, index)
            at = index_to_position(index, out_strides)
            first = index_to_position(index, a_strides)
            for i in range(a_shape[dim] - 1):  # wrong: one cell is left out
                out[at] = fn(out[at], a[first + i * a_strides[dim]])

    return _reduce
