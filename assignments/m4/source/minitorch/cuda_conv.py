"""Convolutions on the GPU (4.4b, for extra points): kernels and their launches.

As fast_conv: the output is as large as the input, the weight's first cell lies on the
output's place, and beyond the input's end there are zeros.
"""

from __future__ import annotations

import numba
from numba import cuda

from .tensor import Tensor

# A block makes a tile of the output: so many cells of a signal, or rows and columns of
# an image. Weights may reach over as many cells.
TILE_1D = 32
TILE_2D = 16


def _tensor_conv1d(
    out, out_shape, out_strides, out_size,
    input, input_shape, input_strides, weight, weight_shape, weight_strides, reverse,
):  # fmt: skip
    """out[b, o, i] = sum over c, k of input[b, c, i + k] * weight[o, c, k].

    If `reverse`, input[b, c, i - k]. Launched with blocks of 32 threads: blockIdx.x
    counts tiles of 32 cells, blockIdx.y out_channels, blockIdx.z batches. For each
    channel the block brings its tile of the input into shared memory, with the cells
    behind it (or before it) that the weight reaches: at most 31.
    """
    ### BEGIN SOLUTION
    ### BEGIN STARTER
    # TILE = 32
    # cells = cuda.shared.array(2 * TILE, numba.float64)
    # t = cuda.threadIdx.x
    # i = cuda.blockIdx.x * TILE + t
    # # Task 4.4b: 32 threads bring up to 63 cells. Which are beyond the input?
    # raise NotImplementedError("Task 4.4b")
    ### END STARTER
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
    if i < out_shape[2]:
        out[batch * out_strides[0] + o * out_strides[1] + i * out_strides[2]] = total
    ### END SOLUTION


tensor_conv1d = cuda.jit()(_tensor_conv1d)


def _tensor_conv2d(
    out, out_shape, out_strides, out_size,
    input, input_shape, input_strides, weight, weight_shape, weight_strides, reverse,
):  # fmt: skip
    """out[b, o, i, j] = sum of input[b, c, i + k, j + m] * weight[o, c, k, m].

    If `reverse`, input[b, c, i - k, j - m]. Launched with blocks of (16, 16):
    blockIdx.x counts tiles of 16 columns, blockIdx.y tiles of 16 rows, blockIdx.z
    batches and out_channels: batch * out_channels + o. A weight has at most 16 rows
    and columns.
    """
    ### BEGIN SOLUTION
    ### BEGIN STARTER
    # TILE = 16
    # cells = cuda.shared.array((2 * TILE, 2 * TILE), numba.float64)
    # # Task 4.4b: as in one dimension, four times.
    # raise NotImplementedError("Task 4.4b")
    ### END STARTER
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
    if i < out_shape[2] and j < out_shape[3]:
        place = batch * out_strides[0] + o * out_strides[1]
        out[place + i * out_strides[2] + j * out_strides[3]] = total
    ### END SOLUTION


tensor_conv2d = cuda.jit()(_tensor_conv2d)


def cuda_conv1d(input: Tensor, weight: Tensor, reverse: bool = False) -> Tensor:
    """input (b, c, w), weight (o, c, k) -> (b, o, w), for tensors on the GPU."""
    batch, _, width = input.shape
    out_channels, reach = weight.shape[0], weight.shape[2]
    assert reach <= TILE_1D, f"a weight of {reach} cells; {TILE_1D} are possible"
    out = input.zeros((batch, out_channels, width))
    grid = (-(-width // TILE_1D), out_channels, batch)
    launch = tensor_conv1d[grid, TILE_1D]
    launch(*out.tuple(), out.size, *input.tuple(), *weight.tuple(), reverse)
    return out


def cuda_conv2d(input: Tensor, weight: Tensor, reverse: bool = False) -> Tensor:
    """input (b, c, h, w), weight (o, c, k, l) -> (b, o, h, w), on the GPU."""
    batch, _, height, width = input.shape
    out_channels, _, rows, columns = weight.shape
    assert rows <= TILE_2D >= columns, f"a weight of {rows} x {columns} cells"
    out = input.zeros((batch, out_channels, height, width))
    grid = (-(-width // TILE_2D), -(-height // TILE_2D), batch * out_channels)
    launch = tensor_conv2d[grid, (TILE_2D, TILE_2D)]
    launch(*out.tuple(), out.size, *input.tuple(), *weight.tuple(), reverse)
    return out
