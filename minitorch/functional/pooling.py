"""Owns pooling: one value from each window of a signal, an image or a volume."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Tensor
from . import windows
from .arguments import require_tensors
from .sliding import Sizes, one, pair, several
from .windows import Windows


def max_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest cell of each window; sizes as one number or (rows, columns).

    Args:
        input: (n, channels, height, width), or (channels, height, width).
        kernel_size: Cells of a window.
        stride: Cells between neighbouring windows; by default those of a window.
        padding: Cells of -inf on all sides, at most half of a window.
        dilation: Cells between neighbouring taps of a window.
        ceil_mode: Also a last window that reaches beyond the end.
        return_indices: Also where the largest cells are, for max_unpool2d.

    Returns:
        (n, channels, rows, columns), each of them
        (size + 2 padding - dilation (kernel_size - 1) - 1) // stride + 1, rounded up
        with ceil_mode. The gradient goes to the first of equal cells. With
        return_indices a pair, whose second holds row * width + column as int64.

    Raises:
        ValueError: A window is larger than the padded input.

    Kernel:
        cpp/kernels/max_pool2d.cu, one thread a window; with ceil_mode or
        return_indices `gather.cu` and `arg_reduce.cu`.

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
    if ceil_mode or return_indices:
        found = _listed(input, kernel, steps, pads, gaps, ceil_mode, where)
        return _best(input, found, return_indices)
    return _core.max_pool(input, kernel, steps, pads, gaps, 2)


def max_pool1d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
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
    if ceil_mode or return_indices:
        sizes = (kernel,), (step,), (pads,), (gap,)
        return _best(input, _listed(input, *sizes, ceil_mode, where), return_indices)
    return _core.max_pool(rows, (1, kernel), (1, step), (0, pads), (1, gap), 1).squeeze(
        len(input.shape) - 1
    )


def max_pool3d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest cell of each window of a volume; arguments as for max_pool2d.

    Kernel:
        `gather.cu` and `arg_reduce.cu`.

    Example:
        >>> import minitorch
        >>> max_pool3d(minitorch.arange(8).reshape(1, 2, 2, 2), 2).numpy()
        array([[[[7.]]]])
    """
    where = "max_pool3d"
    require_tensors(where, input)
    given = {"kernel_size": kernel_size, "padding": padding, "dilation": dilation}
    given["stride"] = kernel_size if stride is None else stride
    kernel, pads, gaps, steps = (several(v, 3, k, where) for k, v in given.items())
    _require_half(kernel, pads, gaps, where)
    found = _listed(input, kernel, steps, pads, gaps, ceil_mode, where)
    return _best(input, found, return_indices)


def avg_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean of each window; sizes as one number or (rows, columns).

    Args:
        input: (n, channels, height, width), or (channels, height, width).
        kernel_size: Cells of a window.
        stride: Cells between neighbouring windows; by default those of a window.
        padding: Zeros on all sides, at most half of a window.
        ceil_mode: Also a last window that reaches beyond the end.
        count_include_pad: Is the padding part of the mean?
        divisor_override: What to divide the sums by, in place of the count.

    Returns:
        (n, channels, rows, columns), each of them
        (size + 2 padding - kernel_size) // stride + 1, rounded up with ceil_mode.

    Raises:
        ValueError: A window is larger than the padded input, or the divisor is 0.

    Kernel:
        cpp/kernels/avg_pool2d.cu, one thread a window; with ceil_mode or a divisor
        products with the windows' shares (matmul_tiled.cu).

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
    _require_divisor(divisor_override, where)
    if ceil_mode or divisor_override is not None:
        options = ceil_mode, where, count_include_pad
        found = _listed(input, kernel, steps, pads, (1, 1), *options)
        return windows.means(input, found, divisor_override)
    return _core.avg_pool(input, kernel, steps, pads, count_include_pad, 2)


def avg_pool1d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    ceil_mode: bool = False,
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
    if ceil_mode:
        options = ceil_mode, where, count_include_pad
        found = _listed(input, (kernel,), (step,), (pads,), (1,), *options)
        return windows.means(input, found)
    return _core.avg_pool(
        rows, (1, kernel), (1, step), (0, pads), count_include_pad, 1
    ).squeeze(len(input.shape) - 1)


def avg_pool3d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean of each window of a volume; arguments as for avg_pool2d.

    Kernel:
        Products with the windows' shares (matmul_tiled.cu).

    Example:
        >>> import minitorch
        >>> avg_pool3d(minitorch.arange(8).reshape(1, 2, 2, 2), 2).numpy()
        array([[[[3.5]]]])
    """
    where = "avg_pool3d"
    require_tensors(where, input)
    given = {"kernel_size": kernel_size, "padding": padding}
    given["stride"] = kernel_size if stride is None else stride
    kernel, pads, steps = (several(v, 3, k, where) for k, v in given.items())
    _require_half(kernel, pads, (1, 1, 1), where)
    _require_divisor(divisor_override, where)
    options = ceil_mode, where, count_include_pad
    found = _listed(input, kernel, steps, pads, (1, 1, 1), *options)
    return windows.means(input, found, divisor_override)


def _listed(
    input: Tensor,
    kernel: tuple[int, ...],
    steps: tuple[int, ...],
    pads: tuple[int, ...],
    gaps: tuple[int, ...],
    ceil_mode: bool,
    where: str,
    count_include_pad: bool = True,
) -> list[Windows]:
    """The windows of each dimension, for input that has them."""
    count = len(kernel)
    shape = tuple(input.shape)
    cells = shape[-count:]
    reaches = [gap * (size - 1) + 1 for gap, size in zip(gaps, kernel, strict=True)]
    if len(shape) not in (count + 1, count + 2) or min(kernel + steps + gaps) < 1:
        raise ValueError(
            f"[{where}] got {shape}, windows {kernel}, stride {steps} and dilation "
            f"{gaps}; need {count + 2} dimensions or one less, and sizes of 1 or more."
        )
    if any(c + 2 * p < r for c, p, r in zip(cells, pads, reaches, strict=True)):
        raise ValueError(
            f"[{where}] got windows of {tuple(reaches)} cells for {cells} and padding "
            f"{pads}; need windows that fit."
        )
    return [
        windows.fixed(*sizes, ceil_mode, count_include_pad)
        for sizes in zip(cells, kernel, steps, pads, gaps, strict=True)
    ]


def _best(input: Tensor, found: list[Windows], return_indices: bool) -> Any:
    out, places = windows.maxima(input, found)
    return (out, places) if return_indices else out


def _require_divisor(divisor: Any, where: str) -> None:
    if divisor == 0:
        raise ValueError(f"[{where}] got divisor_override 0; need another number.")


def _as_rows(input: Tensor, where: str) -> Tensor:
    """(…, length) -> (…, 1, length)"""
    if len(input.shape) < 2:
        raise ValueError(
            f"[{where}] got {input.shape}; need (n, channels, length) or "
            "(channels, length)."
        )
    return input.unsqueeze(len(input.shape) - 1)


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
