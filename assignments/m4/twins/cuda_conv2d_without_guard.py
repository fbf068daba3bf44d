# minitorch/cuda_conv.py fails 4.4b-conv2d.values, 4.4b-conv2d.clean, 4.4b-conv2d.cost: oob_global


def _tensor_conv2d(
    out, out_shape, out_strides, out_size,
    input, input_shape, input_strides, weight, weight_shape, weight_strides, reverse,
):  # fmt: skip
    TILE = 16
    cells = cuda.shared.array((2 * TILE, 2 * TILE), numba.float64)
    across, down = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * TILE, cuda.blockIdx.y * TILE
    batch, o = cuda.blockIdx.z // out_shape[1], cuda.blockIdx.z % out_shape[1]
    i, j = top + down, left + across
    height, width = input_shape[2], input_shape[3]
    rows, columns = weight_shape[2], weight_shape[3]
    if reverse:
        top -= rows - 1
        left -= columns - 1
    total = 0.0
    for c in range(input_shape[1]):
        image = batch * input_strides[0] + c * input_strides[1]
        for y in range(down, TILE + rows - 1, TILE):
            for x in range(across, TILE + columns - 1, TILE):
                at_y, at_x = top + y, left + x
                value = 0.0
                if at_y >= 0 and at_y < height and at_x >= 0 and at_x < width:
                    place = image + at_y * input_strides[2] + at_x * input_strides[3]
                    value = input[place]
                cells[y, x] = value
        cuda.syncthreads()
        for k in range(rows):
            y = down + rows - 1 - k if reverse else down + k
            for m in range(columns):
                x = across + columns - 1 - m if reverse else across + m
                of = o * weight_strides[0] + c * weight_strides[1]
                w = weight[of + k * weight_strides[2] + m * weight_strides[3]]
                total += cells[y, x] * w
        cuda.syncthreads()
    if i < out_shape[2]:  # wrong: behind a row begins the next one
        place = batch * out_strides[0] + o * out_strides[1]
        out[place + i * out_strides[2] + j * out_strides[3]] = total
