"""Owns images as columns of their windows, and back."""

from __future__ import annotations

import numpy as np

from .. import _core
from .._core import Tensor
from .arguments import require_tensors
from .padding import pad
from .sliding import Sizes, pair
from .windows import in_dialect, places_like

_Pair = tuple[int, int]


def _places(
    sizes: _Pair, kernel: _Pair, gaps: _Pair, steps: _Pair, where: str
) -> np.ndarray:
    """(kernel cells, windows): where each cell of each window lies, row by row."""
    counts = [
        (size - gap * (width - 1) - 1) // step + 1
        for size, width, gap, step in zip(sizes, kernel, gaps, steps, strict=True)
    ]
    if min(kernel + gaps + steps) < 1 or min(counts) < 1:
        raise ValueError(
            f"[{where}] got windows {kernel} with stride {steps} and dilation {gaps} "
            f"for {sizes} cells, padding included; need sizes of 1 or more that fit."
        )
    rows, columns = (
        np.arange(width)[:, None] * gap + np.arange(count) * step
        for width, gap, count, step in zip(kernel, gaps, counts, steps, strict=True)
    )
    # (rows, 1, windows down, 1) and (1, columns, 1, windows across)
    at = rows[:, None, :, None] * sizes[1] + columns[None, :, None, :]
    return at.reshape(kernel[0] * kernel[1], -1)


def unfold(
    input: Tensor,
    kernel_size: Sizes,
    dilation: Sizes = 1,
    padding: Sizes = 0,
    stride: Sizes = 1,
) -> Tensor:
    """The windows of an image as columns: what a convolution multiplies.

    Args:
        input: (n, channels, height, width), or (channels, height, width).
        kernel_size: Rows and columns of a window.
        dilation: Cells between neighbouring taps of a window.
        padding: Zeros on all sides.
        stride: Cells between neighbouring windows.

    Returns:
        (n, channels rows columns, windows), the windows row by row.

    Raises:
        ValueError: A window is larger than the padded input.

    Kernel:
        `gather.cu`, a thread per element of the result; back by `scatter.cu`.

    Example:
        >>> import minitorch
        >>> unfold(minitorch.arange(4).reshape(1, 2, 2), (1, 2)).numpy()
        array([[0., 2.],
               [1., 3.]])
    """
    where = "unfold"
    require_tensors(where, input)
    shape = tuple(input.shape)
    if len(shape) == 3:
        alone = unfold(input.unsqueeze(0), kernel_size, dilation, padding, stride)
        return alone.squeeze(0)
    if len(shape) != 4:
        raise ValueError(
            f"[{where}] got {shape}; need (n, channels, height, width) or "
            "(channels, height, width)."
        )
    kernel = pair(kernel_size, "kernel_size", where)
    gaps, steps = pair(dilation, "dilation", where), pair(stride, "stride", where)
    down, across = pair(padding, "padding", where)
    wide = pad(input, (across, across, down, down)) if down or across else input
    sizes = (wide.shape[2], wide.shape[3])
    places = _places(sizes, kernel, gaps, steps, where)
    flat = wide._reshape([*shape[:2], sizes[0] * sizes[1]])
    index = places_like(places.ravel(), input)
    columns = flat.index_select(2, index)
    return columns._reshape([shape[0], shape[1] * len(places), places.shape[1]])


def fold(
    input: Tensor,
    output_size: Sizes,
    kernel_size: Sizes,
    dilation: Sizes = 1,
    padding: Sizes = 0,
    stride: Sizes = 1,
) -> Tensor:
    """The sum of windows laid back into an image: what unfold's gradient does.

    Args:
        input: (n, channels rows columns, windows), or without n.
        output_size: (height, width) of the image.
        kernel_size, dilation, padding, stride: As of unfold.

    Returns:
        (n, channels, height, width).

    Raises:
        ValueError: The sizes do not fit.

    Kernel:
        `scatter.cu`, a thread per element of the input.

    Example:
        >>> import minitorch
        >>> fold(minitorch.ones(2, 2), (1, 3), (1, 2)).numpy()
        array([[[1., 2., 1.]]])
    """
    where = "fold"
    require_tensors(where, input)
    given = tuple(input.shape)
    if len(given) == 2:
        options = output_size, kernel_size, dilation, padding, stride
        return fold(input.unsqueeze(0), *options).squeeze(0)
    kernel = pair(kernel_size, "kernel_size", where)
    height, width = pair(output_size, "output_size", where)
    down, across = pair(padding, "padding", where)
    sizes = (height + 2 * down, width + 2 * across)
    gaps, steps = pair(dilation, "dilation", where), pair(stride, "stride", where)
    places = _places(sizes, kernel, gaps, steps, where)
    taps, count = places.shape
    if len(given) != 3 or given[1] % taps or given[2] != count:
        raise ValueError(
            f"[{where}] got {given}; need (n, channels * {taps}, {count}) or without n."
        )
    lead = [given[0], given[1] // taps]
    index = places_like(places.ravel(), input)
    wide = index._expand([*lead, taps * count]).contiguous()
    zero = _core.full((*lead, sizes[0] * sizes[1]), 0, input.dtype, input.device)
    total = in_dialect(zero, input).scatter_add(
        2, wide, input._reshape([*lead, taps * count])
    )
    image = total._reshape([*lead, *sizes])
    return image._slice(2, down, down + height, 1)._slice(3, across, across + width, 1)
