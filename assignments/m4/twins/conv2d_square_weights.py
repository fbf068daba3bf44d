# minitorch/fast_conv.py fails 4.2-conv2d, 4.2-gradients, 4.5-train: failed


def _tensor_conv2d(
    out, out_shape, out_strides, out_size,
    input, input_shape, input_strides, weight, weight_shape, weight_strides, reverse,
):  # fmt: skip
    batches, out_channels, out_height, out_width = out_shape
    _, in_channels, height, width = input_shape
    _, _, down, across = weight_shape
    step = -1 if reverse else 1
    s0, s1, s2, s3 = input_strides
    t0, t1, t2, t3 = weight_strides
    for row in prange(batches * out_channels * out_height):
        i = row % out_height
        o = row // out_height % out_channels
        batch = row // out_height // out_channels
        for j in range(out_width):
            total = 0.0
            for c in range(in_channels):
                for k in range(down):
                    y = i + step * k
                    if not 0 <= y < height:
                        continue
                    here = batch * s0 + c * s1 + y * s2
                    there = o * t0 + c * t1 + k * t2
                    for m in range(
                        min(down, across)
                    ):  # wrong: a weight need not be square
                        x = j + step * m
                        if 0 <= x < width:
                            total += input[here + x * s3] * weight[there + m * t3]
            place = batch * out_strides[0] + o * out_strides[1]
            out[place + i * out_strides[2] + j * out_strides[3]] = total
