# minitorch/cuda_conv.py fails 4.4b-conv1d.values, 4.4b-conv1d.clean, 4.4b-conv1d.cost: oob_global


def _tensor_conv1d(
    out, out_shape, out_strides, out_size,
    input, input_shape, input_strides, weight, weight_shape, weight_strides, reverse,
):  # fmt: skip
    TILE = 32
    cells = cuda.shared.array(2 * TILE, numba.float64)
    t = cuda.threadIdx.x
    o = cuda.blockIdx.y
    batch = cuda.blockIdx.z
    i = cuda.blockIdx.x * TILE + t
    width, reach = input_shape[2], weight_shape[2]
    first = cuda.blockIdx.x * TILE  # the place of cells[0] in the input
    if reverse:
        first -= reach - 1
    total = 0.0
    for c in range(input_shape[1]):
        row = batch * input_strides[0] + c * input_strides[1]
        for cell in range(t, TILE + reach - 1, TILE):
            at = first + cell
            inside = at >= 0 and at < width
            cells[cell] = input[row + at * input_strides[2]] if inside else 0.0
        cuda.syncthreads()
        for k in range(reach):
            cell = t + reach - 1 - k if reverse else t + k
            w = weight[
                o * weight_strides[0] + c * weight_strides[1] + k * weight_strides[2]
            ]
            total += cells[cell] * w
        cuda.syncthreads()
    if i >= 0:  # wrong: the last tile is longer than the output
        out[batch * out_strides[0] + o * out_strides[1] + i * out_strides[2]] = total
