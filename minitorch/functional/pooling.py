"""Pooling: the maximum or mean of windows of a signal or an image."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import _core
from .._core import FitError, Tensor
from .arguments import Sizes, as_integer, require_tensors, several

__all__ = [
    "adaptive_avg_pool2d",
    "avg_pool1d",
    "avg_pool2d",
    "max_pool1d",
    "max_pool2d",
]


def max_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
) -> Tensor:
    """Return the maximum of each window; sizes are one number or (rows, columns).

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
    window = kernel_size, stride, padding, dilation
    return _pooled("max_pool2d", 2, input, window, _core.max_pool)


def max_pool1d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
) -> Tensor:
    """Return the maximum of each window of a signal; arguments as for max_pool2d.

    Example:
        >>> import minitorch
        >>> max_pool1d(minitorch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2).numpy()
        array([[3., 2.]])
    """
    window = kernel_size, stride, padding, dilation
    return _pooled("max_pool1d", 1, input, window, _core.max_pool)


def avg_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    *,
    count_include_pad: bool = True,
) -> Tensor:
    """Return the mean of each window; sizes are one number or (rows, columns).

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
    pool = _average(count_include_pad)
    return _pooled("avg_pool2d", 2, input, (kernel_size, stride, padding, 1), pool)


def avg_pool1d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    *,
    count_include_pad: bool = True,
) -> Tensor:
    """Return the mean of each window of a signal; arguments as for avg_pool2d.

    Example:
        >>> import minitorch
        >>> avg_pool1d(minitorch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2).numpy()
        array([[2., 1.]])
    """
    pool = _average(count_include_pad)
    return _pooled("avg_pool1d", 1, input, (kernel_size, stride, padding, 1), pool)


def _average(count_include_pad: bool) -> Callable[..., Tensor]:
    def pool(x: Tensor, kernel: Any, steps: Any, pads: Any, _: Any, n: int) -> Tensor:
        return _core.avg_pool(x, kernel, steps, pads, count_include_pad, n)

    return pool


def _pooled(
    where: str, count: int, input: Tensor, window: Any, pool: Callable[..., Tensor]
) -> Tensor:
    """Pool images, and signals (…, length) as images (…, 1, length).

    Raises:
        ValueError: A window could lie in the padding alone, with no result.
    """
    require_tensors(where, input)
    kernel_size, stride, padding, dilation = window
    kernel = several(kernel_size, count, "kernel_size", where)
    pads = several(padding, count, "padding", where)
    steps = kernel if stride is None else several(stride, count, "stride", where)
    gaps = several(dilation, count, "dilation", where)
    for size, pad, gap in zip(kernel, pads, gaps, strict=True):
        if 2 * pad > gap * (size - 1) + 1:
            raise FitError(
                f"[{where}] got padding {pad} for a window of {gap * (size - 1) + 1} "
                "elements; it must be at most half the window."
            )
    sizes = kernel, steps, pads, gaps
    if count == 2:
        return pool(input, *sizes, count)
    dims = len(input.shape)
    if dims < 2:
        raise FitError(
            f"[{where}] got shape {tuple(input.shape)}; need (n, channels, length) or "
            "(channels, length)."
        )
    wide = [(one, *size) for one, size in zip((1, 1, 0, 1), sizes, strict=True)]
    return pool(input.unsqueeze(dims - 1), *wide, count).squeeze(dims - 1)


def adaptive_avg_pool2d(
    input: Tensor, output_size: int | Sequence[int | None] | None
) -> Tensor:
    """Return the means of windows that divide an image evenly, for any image size.

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
        window; elsewhere a mean of every row and column of windows.

    Example:
        >>> import minitorch
        >>> x = minitorch.arange(9).reshape(1, 3, 3)
        >>> adaptive_avg_pool2d(x, 1).numpy(), adaptive_avg_pool2d(x, (1, 2)).numpy()
        (array([[[4.]]]), array([[[3.5, 4.5]]]))
    """
    where = "adaptive_avg_pool2d"
    require_tensors(where, input)
    shape = tuple(input.shape)
    if len(shape) not in (3, 4) or 0 in shape[-2:]:
        raise FitError(
            f"[{where}] got shape {tuple(shape)}; need (n, channels, height, width) or "
            "(channels, height, width), not empty."
        )
    wanted = require_output_size(output_size, where)
    counts = [n or size for n, size in zip(wanted, shape[-2:], strict=True)]
    if all(size % n == 0 for n, size in zip(counts, shape[-2:], strict=True)):
        return avg_pool2d(input, [shape[-2] // counts[0], shape[-1] // counts[1]])
    out = input
    for dim, n in enumerate(counts, len(shape) - 2):
        ends = [(i * shape[dim] // n, -(-(i + 1) * shape[dim] // n)) for i in range(n)]
        parts = [out._slice(dim, first, last, 1) for first, last in ends]
        out = _core.cat([_core.Tensor.mean(part, dim, True) for part in parts], dim)
    return out


def require_output_size(value: Any, where: str) -> tuple[int | None, ...]:
    """Return the sizes of an adaptive pooling's result; None keeps the input's size."""
    given = tuple(value) if isinstance(value, Sequence) else (value,) * 2
    try:
        values = tuple(
            None if size is None else as_integer(where, "output_size", size)
            for size in given
        )
    except TypeError:
        values = ()
    if len(values) != 2:
        raise TypeError(
            f"[{where}] got output_size {value!r}; need an integer, None, or a pair of "
            "these."
        )
    if any(v is not None and v < 1 for v in values):
        raise FitError(f"[{where}] got output_size {value!r}; need at least 1.")
    return values
