"""Owns pooling: one value from each window of an image or a signal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _core
from .._core import Tensor
from ..tensors.create import tensor
from .arguments import require_tensors
from .sliding import Sizes, one, pair


def max_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
) -> Tensor:
    """The largest cell of each window; sizes as one number or (rows, columns).

    Args:
        input: (n, channels, height, width), or (channels, height, width).
        kernel_size: Cells of a window.
        stride: Cells between neighbouring windows; by default those of a window.
        padding: Cells of -inf on all sides, at most half of a window.
        dilation: Cells between neighbouring taps of a window.

    Returns:
        (n, channels, rows, columns), each of them
        (size + 2 padding - dilation (kernel_size - 1) - 1) // stride + 1. The gradient
        goes to the first of equal cells.

    Raises:
        ValueError: A window is larger than the padded input.

    Kernel:
        cpp/kernels/max_pool2d.cu, one thread a window.

    Example:
        >>> import minitorch
        >>> max_pool2d(minitorch.arange(16).reshape(1, 4, 4), 2).numpy()
        array([[[ 5.,  7.],
                [13., 15.]]])
    """
    where = "max_pool2d"
    require_tensors(where, input)
    kernel, pads = (
        pair(kernel_size, "kernel_size", where),
        pair(padding, "padding", where),
    )
    steps = kernel if stride is None else pair(stride, "stride", where)
    gaps = pair(dilation, "dilation", where)
    _require_half(kernel, pads, gaps, where)
    return _core.max_pool(input, kernel, steps, pads, gaps, 2)


def max_pool1d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
) -> Tensor:
    """The largest cell of each window of a signal; arguments as for max_pool2d.

    Example:
        >>> import minitorch
        >>> max_pool1d(minitorch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2).numpy()
        array([[3., 2.]])
    """
    where = "max_pool1d"
    require_tensors(where, input)
    kernel, pads = (
        one(kernel_size, "kernel_size", where),
        one(padding, "padding", where),
    )
    step = kernel if stride is None else one(stride, "stride", where)
    gap = one(dilation, "dilation", where)
    _require_half((kernel,), (pads,), (gap,), where)
    rows = _as_rows(input, where)
    return _core.max_pool(rows, (1, kernel), (1, step), (0, pads), (1, gap), 1).squeeze(
        input.dims - 1
    )


def avg_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    count_include_pad: bool = True,
) -> Tensor:
    """The mean of each window; sizes as one number or (rows, columns).

    Args:
        input: (n, channels, height, width), or (channels, height, width).
        kernel_size: Cells of a window.
        stride: Cells between neighbouring windows; by default those of a window.
        padding: Zeros on all sides, at most half of a window.
        count_include_pad: Is the padding part of the mean?

    Returns:
        (n, channels, rows, columns), each of them
        (size + 2 padding - kernel_size) // stride + 1.

    Raises:
        ValueError: A window is larger than the padded input.

    Kernel:
        cpp/kernels/avg_pool2d.cu, one thread a window.

    Example:
        >>> import minitorch
        >>> avg_pool2d(minitorch.arange(16).reshape(1, 4, 4), 2).numpy()
        array([[[ 2.5,  4.5],
                [10.5, 12.5]]])
    """
    where = "avg_pool2d"
    require_tensors(where, input)
    kernel, pads = (
        pair(kernel_size, "kernel_size", where),
        pair(padding, "padding", where),
    )
    steps = kernel if stride is None else pair(stride, "stride", where)
    _require_half(kernel, pads, (1, 1), where)
    return _core.avg_pool(input, kernel, steps, pads, count_include_pad, 2)


def avg_pool1d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    count_include_pad: bool = True,
) -> Tensor:
    """The mean of each window of a signal; arguments as for avg_pool2d.

    Example:
        >>> import minitorch
        >>> avg_pool1d(minitorch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2).numpy()
        array([[2., 1.]])
    """
    where = "avg_pool1d"
    require_tensors(where, input)
    kernel, pads = (
        one(kernel_size, "kernel_size", where),
        one(padding, "padding", where),
    )
    step = kernel if stride is None else one(stride, "stride", where)
    _require_half((kernel,), (pads,), (1,), where)
    rows = _as_rows(input, where)
    return _core.avg_pool(
        rows, (1, kernel), (1, step), (0, pads), count_include_pad, 1
    ).squeeze(input.dims - 1)


def adaptive_avg_pool2d(
    input: Tensor, output_size: int | Sequence[int | None] | None
) -> Tensor:
    """The means of windows that share an image out evenly, whatever its size.

    Window i of n along a side of s cells holds cells floor(i s / n) up to, not
    including, ceil((i + 1) s / n); neighbours overlap where n does not divide s.

    Args:
        input: (n, channels, height, width), or (channels, height, width).
        output_size: (rows, columns), or one number for both; None keeps the input's.

    Returns:
        (n, channels, rows, columns).

    Raises:
        ValueError: A size is below 1, or the input is no image or has no cells.
        TypeError: A size is no integer.

    Kernel:
        cpp/kernels/avg_pool2d.cu where the sizes divide the input's, one thread a
        window; elsewhere two products with the windows' weights (matmul_tiled.cu).

    Example:
        >>> import minitorch
        >>> x = minitorch.arange(9).reshape(1, 3, 3)
        >>> adaptive_avg_pool2d(x, 1).numpy(), adaptive_avg_pool2d(x, (1, 2)).numpy()
        (array([[[4.]]]), array([[[3.5, 4.5]]]))
    """
    where = "adaptive_avg_pool2d"
    require_tensors(where, input)
    if input.dims not in (3, 4) or 0 in input.shape[-2:]:
        raise ValueError(
            f"[{where}] got {input.shape}; need (n, channels, height, width) or "
            "(channels, height, width) with cells."
        )
    cells = input.shape[-2:]
    wanted = require_output_size(output_size, where)
    rows, columns = (
        n if size is None else size for n, size in zip(cells, wanted, strict=True)
    )
    if cells[0] % rows == 0 and cells[1] % columns == 0:
        return avg_pool2d(input, (cells[0] // rows, cells[1] // columns))
    # (rows, height) @ (…, height, width) @ (width, columns) -> (…, rows, columns)
    left = _shares(cells[0], rows, input)
    right = _shares(cells[1], columns, input).permute(1, 0)
    return left @ (input @ right)


def require_output_size(value: Any, where: str) -> tuple[int | None, int | None]:
    """(rows, columns) of an adaptive pooling, None where the input's size stays."""
    values = tuple(value) if isinstance(value, Sequence) else (value, value)
    wanted = [isinstance(v, int) and not isinstance(v, bool) for v in values]
    known = [v is None or w for v, w in zip(values, wanted, strict=True)]
    if len(values) != 2 or not all(known):
        raise TypeError(
            f"[{where}] got output_size {value!r}; need an integer, None, or two of "
            "them."
        )
    if any(v is not None and v < 1 for v in values):
        raise ValueError(f"[{where}] got output_size {value!r}; need 1 or more.")
    return values[0], values[1]


def _shares(size: int, count: int, like: Tensor) -> Tensor:
    """(count, size): row i has 1 / cells in each cell of window i."""
    shares = np.zeros((count, size))
    for i in range(count):
        first, last = i * size // count, -(-(i + 1) * size // count)
        shares[i, first:last] = 1 / (last - first)
    kind = like.dtype if like.dtype.is_floating_point else "float64"
    return tensor(shares, dtype=kind, device=like.device)


def _as_rows(input: Tensor, where: str) -> Tensor:
    """(…, length) -> (…, 1, length)"""
    if input.dims < 2:
        raise ValueError(
            f"[{where}] got {input.shape}; need (n, channels, length) or "
            "(channels, length)."
        )
    return input.unsqueeze(input.dims - 1)


def _require_half(
    kernel: tuple[int, ...], pads: tuple[int, ...], gaps: tuple[int, ...], where: str
) -> None:
    """A window in the padding alone would have no value."""
    for size, pad, gap in zip(kernel, pads, gaps, strict=True):
        if 2 * pad > gap * (size - 1) + 1:
            raise ValueError(
                f"[{where}] got padding {pad} for windows of {gap * (size - 1) + 1} "
                "cells; need at most half."
            )
