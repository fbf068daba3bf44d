# minitorch/tensor_ops.py fails 2.3-zip, 2.3-functions, 2.4-functions, 2.4-shapes, 2.5-training: error
def tensor_zip(fn):
    def _zip(out, out_shape, out_strides, a, a_shape, a_strides, b, b_shape, b_strides):
        out_index = [0] * len(out_shape)
        a_index, b_index = [0] * len(a_shape), [0] * len(b_shape)
        for ordinal in range(len(out)):
            to_index(ordinal, out_shape, out_index)
            broadcast_index(out_index, out_shape, a_shape, a_index)
            broadcast_index(out_index, out_shape, b_shape, b_index)
            x = a[index_to_position(a_index, a_strides)]
            y = b[index_to_position(b_index, a_strides)]  # wrong: b has its own
            out[index_to_position(out_index, out_strides)] = fn(x, y)

    return _zip
