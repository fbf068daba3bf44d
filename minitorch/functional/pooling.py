"""Owns pooling: one value from each window of an image or a signal."""

from __future__ import annotations

from .. import _core
from ..tensor import Tensor
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
