# minitorch/fast_conv.py fails 4.1-conv1d, 4.1-gradients: failed


def _tensor_conv1d(
    out, out_shape, out_strides, out_size,
    input, input_shape, input_strides, weight, weight_shape, weight_strides, reverse,
):  # fmt: skip
    batches, out_channels, out_width = out_shape
    _, in_channels, width = input_shape
    _, _, reach = weight_shape
    step = -1 if reverse else 1
    for row in prange(batches * out_channels):
        batch, o = row // out_channels, row % out_channels
        for i in range(out_width):
            total = 0.0
            for c in range(in_channels):
                here = batch * input_strides[0] + c * input_strides[1]
                there = o * weight_strides[0] + c * weight_strides[1]
                for k in range(reach):
                    at = i + step * k
                    if True:
                        at = at % width  # wrong: beyond the end is nothing
                        x = input[here + at * input_strides[2]]
                        total += x * weight[there + k * weight_strides[2]]
            place = batch * out_strides[0] + o * out_strides[1] + i * out_strides[2]
            out[place] = total
