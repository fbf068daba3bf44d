# minitorch/tensor_ops.py fails 2.3-reduce, 2.3-functions, 2.5-training: failed
def tensor_reduce(fn):
    def _reduce(out, out_shape, out_strides, a, a_shape, a_strides, dim):
        index = [0] * len(out_shape)
        for ordinal in range(len(out)):
            to_index(ordinal, out_shape, index)
            first = index_to_position(index, a_strides)
            total = 0.0  # wrong: out has the value to start with
            for i in range(a_shape[dim]):
                total = fn(total, a[first + i * a_strides[dim]])
            out[index_to_position(index, out_strides)] = total

    return _reduce
