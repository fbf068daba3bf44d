"""Pooling: the maximum or mean of windows of a signal or an image.

Windows that no kernel fits (adaptive pooling, ceil_mode, indices of maxima) are lists
of their cells, one list a dimension.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from .._core import Tensor
from ..tensors.create import in_dialect, tensor
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
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return the maximum of each window; sizes are one number or (rows, columns).

    Args:
        input: (n, channels, height, width), or (channels, height, width).
        kernel_size: Cells of a window.
        stride: Cells between neighbouring windows; by default those of a window.
        padding: Cells of -inf on all sides, at most half of a window.
        dilation: Cells between neighbouring taps of a window.
        ceil_mode: Also a last window that reaches beyond the end.
        return_indices: Also return the indices of the largest cells.

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
    window = kernel_size, stride, padding
    return _max_pool(
        "max_pool2d", 2, input, window, dilation, ceil_mode, return_indices
    )


def max_pool1d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return the maximum of each window of a signal; arguments as for max_pool2d.

    Example:
        >>> import minitorch
        >>> max_pool1d(minitorch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2).numpy()
        array([[3., 2.]])
    """
    window = kernel_size, stride, padding
    return _max_pool(
        "max_pool1d", 1, input, window, dilation, ceil_mode, return_indices
    )


def avg_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """Return the mean of each window; sizes are one number or (rows, columns).

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
    window = kernel_size, stride, padding
    return _avg_pool(
        "avg_pool2d", 2, input, window, ceil_mode, count_include_pad, divisor_override
    )


def avg_pool1d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """Return the mean of each window of a signal; arguments as for avg_pool2d.

    Example:
        >>> import minitorch
        >>> avg_pool1d(minitorch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2).numpy()
        array([[2., 1.]])
    """
    window = kernel_size, stride, padding
    return _avg_pool("avg_pool1d", 1, input, window, ceil_mode, count_include_pad)


_Sizes = tuple[tuple[int, ...], ...]  # kernel, stride, padding, dilation by dimension


def _sizes_of(where: str, count: int, window: Any, dilation: Sizes) -> _Sizes:
    """Return the sizes for each of `count` dimensions.

    Raises:
        ValueError: A window could lie in the padding alone, with no result.
    """
    kernel_size, stride, padding = window
    kernel = several(kernel_size, count, "kernel_size", where)
    pads = several(padding, count, "padding", where)
    steps = kernel if stride is None else several(stride, count, "stride", where)
    gaps = several(dilation, count, "dilation", where)
    for size, pad, gap in zip(kernel, pads, gaps, strict=True):
        if 2 * pad > gap * (size - 1) + 1:
            raise ValueError(
                f"[{where}] got padding {pad} for a window of {gap * (size - 1) + 1} "
                "elements; it must be at most half the window."
            )
    return kernel, steps, pads, gaps


def _max_pool(
    where: str,
    count: int,
    input: Tensor,
    window: Any,
    dilation: Sizes,
    ceil_mode: bool,
    return_indices: bool,
) -> Any:
    require_tensors(where, input)
    sizes = _sizes_of(where, count, window, dilation)
    if ceil_mode or return_indices:
        out, places = _maxima(input, _listed(where, input, sizes, ceil_mode))
        return (out, places) if return_indices else out

    def pool(x: Tensor, kernel: Any, steps: Any, pads: Any, gaps: Any) -> Tensor:
        return _core.max_pool(x, kernel, steps, pads, gaps, count)

    return _in_planes(where, input, sizes, pool)


def _avg_pool(
    where: str,
    count: int,
    input: Tensor,
    window: Any,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor: int | None = None,
) -> Tensor:
    require_tensors(where, input)
    sizes = _sizes_of(where, count, window, 1)
    if divisor == 0:
        raise ValueError(f"[{where}] divisor_override must not be 0.")
    if ceil_mode or divisor is not None:
        windows = _listed(where, input, sizes, ceil_mode, count_include_pad)
        return _means(input, windows, divisor)

    def pool(x: Tensor, kernel: Any, steps: Any, pads: Any, gaps: Any) -> Tensor:
        return _core.avg_pool(x, kernel, steps, pads, count_include_pad, count)

    return _in_planes(where, input, sizes, pool)


def _in_planes(
    where: str, input: Tensor, sizes: _Sizes, pool: Callable[..., Tensor]
) -> Tensor:
    """Pool images, and signals (…, length) as images (…, 1, length)."""
    dims = len(input.shape)
    if len(sizes[0]) == 2:
        return pool(input, *sizes)
    if dims < 2:
        raise ValueError(
            f"[{where}] got shape {tuple(input.shape)}; need (n, channels, length) or "
            "(channels, length)."
        )
    wide = [(one, *size) for one, size in zip((1, 1, 0, 1), sizes, strict=True)]
    return pool(input.unsqueeze(dims - 1), *wide).squeeze(dims - 1)


def _listed(
    where: str,
    input: Tensor,
    sizes: _Sizes,
    ceil_mode: bool,
    count_include_pad: bool = True,
) -> list[_Windows]:
    """Return the windows of each dimension; raise if they do not fit."""
    kernel, steps, pads, gaps = sizes
    count = len(kernel)
    shape = tuple(input.shape)
    cells = shape[-count:]
    reaches = [gap * (size - 1) + 1 for gap, size in zip(gaps, kernel, strict=True)]
    if len(shape) not in (count + 1, count + 2) or min(kernel + steps + gaps) < 1:
        raise ValueError(
            f"[{where}] got input {shape}, kernel_size {kernel}, stride {steps} and "
            f"dilation {gaps}; need {count + 1} or {count + 2} dimensions, and at "
            "least 1 for the others."
        )
    if any(c + 2 * p < r for c, p, r in zip(cells, pads, reaches, strict=True)):
        raise ValueError(
            f"[{where}] the window {tuple(reaches)} is larger than the input {cells} "
            f"with padding {pads}."
        )
    return [
        _fixed(*row, ceil_mode, count_include_pad)
        for row in zip(cells, kernel, steps, pads, gaps, strict=True)
    ]


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
        window; elsewhere two products with the windows' weights (matmul_tiled.cu).

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
        raise ValueError(
            f"[{where}] got shape {tuple(shape)}; need (n, channels, height, width) or "
            "(channels, height, width), not empty."
        )
    wanted = require_output_size(output_size, where)
    windows = [
        _adaptive(size, size if number is None else number)
        for size, number in zip(shape[-2:], wanted, strict=True)
    ]
    parts = [(window.size, len(window.places)) for window in windows]
    if all(size % count == 0 for size, count in parts):
        return avg_pool2d(input, tuple(size // count for size, count in parts))
    return _means(input, windows)


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
        raise ValueError(f"[{where}] got output_size {value!r}; need at least 1.")
    return values


@dataclass(frozen=True)
class _Windows:
    """The windows along one dimension.

    Attributes:
        size: cells of the dimension.
        places: (windows, taps), the cells of each window; -1 for none.
        counts: (windows,), the cells that count for a mean, padding perhaps included.
    """

    size: int
    places: np.ndarray
    counts: np.ndarray


def _fixed(
    size: int,
    kernel: int,
    stride: int,
    padding: int,
    dilation: int = 1,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> _Windows:
    """Return windows of `kernel` elements, `stride` apart.

    The last window begins within the input or the padding before it.
    """
    span = size + 2 * padding - dilation * (kernel - 1) - 1
    steps = -(-span // stride) if ceil_mode else span // stride
    if ceil_mode and steps * stride >= size + padding:
        steps -= 1
    starts = np.arange(steps + 1)[:, None] * stride - padding
    places = starts + dilation * np.arange(kernel)
    inside = (places >= 0) & (places < size)
    reached = inside if not count_include_pad else places < size + padding
    return _Windows(size, np.where(inside, places, -1), reached.sum(axis=1))


def _adaptive(size: int, count: int) -> _Windows:
    """Return `count` windows that divide `size` elements evenly, with overlap.

    Window i holds cells floor(i size / count) up to ceil((i + 1) size / count).
    """
    index = np.arange(count)
    starts, ends = index * size // count, -(-(index + 1) * size // count)
    widths = ends - starts
    places = starts[:, None] + np.arange(widths.max(initial=0))
    return _Windows(size, np.where(places < ends[:, None], places, -1), widths)


def _means(
    input: Tensor, windows: list[_Windows], divisor: int | None = None
) -> Tensor:
    """Return the mean of each window of the last dimensions, or the sum over `divisor`.

    A product with the windows' shares along each dimension.
    """
    out = input
    for i, window in enumerate(windows):
        dim = len(input.shape) - len(windows) + i
        shares = np.zeros((len(window.places), window.size + 1))
        np.put_along_axis(shares, window.places, 1, axis=1)  # none: the last column
        if divisor is None:
            shares /= np.maximum(window.counts, 1)[:, None]
        # (…, cells) @ (cells, windows) -> (…, windows)
        right = numbers_like(shares[:, :-1].T.copy(), input)
        out = _times(out, dim, right)
    return out if divisor is None else out / divisor


def numbers_like(array: np.ndarray, like: Tensor) -> Tensor:
    """Convert to the dtype (float64 unless floating point) and device of `like`."""
    kind = like.dtype if like.dtype.is_floating_point else _core.float64
    if kind != _core.bfloat16:  # which NumPy has not
        array = array.astype(kind.name)
    return in_dialect(tensor(array, dtype=kind, device=like.device), like)


def places_like(array: np.ndarray, like: Tensor) -> Tensor:
    """Convert integers to an int64 tensor on the device of `like`."""
    result = tensor(array, dtype="int64", device=like.device)
    return in_dialect(result, like)


def _times(x: Tensor, dim: int, matrix: Tensor) -> Tensor:
    """Multiply dimension `dim` with a matrix."""
    last = len(x.shape) - 1
    if dim == last:
        return x @ matrix
    order = list(range(last + 1))
    order[dim], order[last] = last, dim
    return (x._permute(order) @ matrix)._permute(order)


def _maxima(input: Tensor, windows: list[_Windows]) -> tuple[Tensor, Tensor]:
    """Return the largest element of each window, and its index in the last dimensions.

    Of equal cells the first; a NaN is the largest. The gradient goes to that cell.

    Returns:
        Both (…, *counts of windows); the places of int64, counted row by row.
    """
    lead = tuple(input.shape)[: -len(windows)]
    cells = math.prod(window.size for window in windows)
    flat = input._reshape([*lead, cells])
    places, outs = _joined(windows)
    if 0 in lead or 0 in outs:  # no windows, no cells to look at
        empty = _core.full((*lead, *outs), 0, _core.int64, input.device)
        return empty._cast(input.dtype), empty
    dim = len(lead)
    still, reach = flat.detach(), len(places[0])
    index = places_like(np.maximum(places, 0).ravel(), input)
    # (…, cells) -> (…, windows, taps)
    taps = still.index_select(dim, index)._reshape([*lead, -1, reach])
    if (places < 0).any():
        gone = tensor(places < 0, dtype="bool", device=input.device)
        gone = in_dialect(gone, input)
        taps = gone._where(_lowest(input), taps)
    best = _core.Tensor.argmax(taps, dim + 1, True)
    rows = places_like(np.maximum(places, 0), input)
    wide = rows._expand([*lead, *rows.shape])
    positions = wide.contiguous().gather(dim + 1, best).squeeze(dim + 1)
    return flat.gather(dim, positions)._reshape([*lead, *outs]), positions._reshape(
        [*lead, *outs]
    )


def _joined(windows: list[_Windows]) -> tuple[np.ndarray, list[int]]:
    """Return (windows of all dimensions, taps): row-major indices, -1 for none."""
    places = np.zeros((1, 1), np.int64)
    for window in windows:
        inner = window.places[None, :, None, :]
        outer = places[:, None, :, None]
        both = outer * window.size + inner
        both = np.where((outer < 0) | (inner < 0), -1, both)
        places = both.reshape(len(places) * len(window.places), -1)
    return places, [len(window.places) for window in windows]


def _lowest(like: Tensor) -> float:
    if like.dtype.is_floating_point:
        return -math.inf
    return int(np.iinfo(like.dtype.name).min)
