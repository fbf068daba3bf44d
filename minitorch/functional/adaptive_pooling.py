"""Owns pooling to a given size, norms of windows, and the way back of maxima."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .._core import Tensor
from . import windows
from .arguments import as_integer, require_tensors
from .pooling import avg_pool1d, avg_pool2d
from .sliding import Sizes, several
from .windows import Windows

OutputSize = int | Sequence[int | None] | None


def adaptive_avg_pool2d(input: Tensor, output_size: OutputSize) -> Tensor:
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
    found = _adaptive(input, output_size, 2, "adaptive_avg_pool2d")
    parts = [(each.size, len(each.places)) for each in found]
    if all(size % count == 0 for size, count in parts):
        return avg_pool2d(input, tuple(size // count for size, count in parts))
    return windows.means(input, found)


def adaptive_avg_pool1d(input: Tensor, output_size: OutputSize) -> Tensor:
    """The means of windows that share a signal out evenly; as adaptive_avg_pool2d.

    Kernel:
        cpp/kernels/avg_pool2d.cu where the size divides the input's, or
        matmul_tiled.cu.

    Example:
        >>> import minitorch
        >>> adaptive_avg_pool1d(minitorch.arange(4).reshape(1, 4), 2).numpy()
        array([[0.5, 2.5]])
    """
    found = _adaptive(input, output_size, 1, "adaptive_avg_pool1d")
    (size,), (count,) = (found[0].size,), (len(found[0].places),)
    if size % count == 0:
        return avg_pool1d(input, size // count)
    return windows.means(input, found)


def adaptive_avg_pool3d(input: Tensor, output_size: OutputSize) -> Tensor:
    """The means of windows that share a volume out evenly; as adaptive_avg_pool2d.

    Kernel:
        Products with the windows' shares (matmul_tiled.cu).

    Example:
        >>> import minitorch
        >>> adaptive_avg_pool3d(minitorch.arange(8).reshape(1, 2, 2, 2), 1).numpy()
        array([[[[3.5]]]])
    """
    return windows.means(input, _adaptive(input, output_size, 3, "adaptive_avg_pool3d"))


def _adaptive_max(
    input: Tensor, output_size: OutputSize, return_indices: bool, count: int
) -> Any:
    where = f"adaptive_max_pool{count}d"
    out, places = windows.maxima(input, _adaptive(input, output_size, count, where))
    return (out, places) if return_indices else out


def adaptive_max_pool1d(
    input: Tensor, output_size: OutputSize, return_indices: bool = False
) -> Any:
    """The largest cells of windows that share a signal out; as adaptive_max_pool2d.

    Kernel:
        `gather.cu` and `arg_reduce.cu`.

    Example:
        >>> import minitorch
        >>> adaptive_max_pool1d(minitorch.arange(4).reshape(1, 4), 2).numpy()
        array([[1., 3.]])
    """
    return _adaptive_max(input, output_size, return_indices, 1)


def adaptive_max_pool2d(
    input: Tensor, output_size: OutputSize, return_indices: bool = False
) -> Any:
    """The largest cells of the windows of adaptive_avg_pool2d.

    Args:
        input: (n, channels, height, width), or (channels, height, width).
        output_size: (rows, columns), or one number for both; None keeps the input's.
        return_indices: Also where they are: row * width + column, of int64.

    Returns:
        (n, channels, rows, columns), and perhaps the places, of the same shape.

    Raises:
        ValueError: A size is below 1, or the input is no image or has no cells.
        TypeError: A size is no integer.

    Kernel:
        `gather.cu` and `arg_reduce.cu`.

    Example:
        >>> import minitorch
        >>> adaptive_max_pool2d(minitorch.arange(9).reshape(1, 3, 3), (1, 2)).numpy()
        array([[[7., 8.]]])
    """
    return _adaptive_max(input, output_size, return_indices, 2)


def adaptive_max_pool3d(
    input: Tensor, output_size: OutputSize, return_indices: bool = False
) -> Any:
    """The largest cells of windows that share a volume out; as adaptive_max_pool2d.

    Kernel:
        `gather.cu` and `arg_reduce.cu`.

    Example:
        >>> import minitorch
        >>> adaptive_max_pool3d(minitorch.arange(8).reshape(1, 2, 2, 2), 1).numpy()
        array([[[[7.]]]])
    """
    return _adaptive_max(input, output_size, return_indices, 3)


_NEED = {
    1: "(n, channels, length) or (channels, length)",
    2: "(n, channels, height, width) or (channels, height, width)",
    3: "(n, channels, depth, height, width) or (channels, depth, height, width)",
}


def _adaptive(input: Tensor, output_size: Any, count: int, where: str) -> list[Windows]:
    require_tensors(where, input)
    shape = tuple(input.shape)
    cells = shape[-count:]
    if len(shape) not in (count + 1, count + 2) or 0 in cells:
        raise ValueError(f"[{where}] got {shape}; need {_NEED[count]} with cells.")
    wanted = require_output_size(output_size, where, count)
    return [
        windows.adaptive(size, size if number is None else number)
        for size, number in zip(cells, wanted, strict=True)
    ]


def require_output_size(
    value: Any, where: str, count: int = 2
) -> tuple[int | None, ...]:
    """The sizes of an adaptive pooling's result, None where the input's stays."""
    given = tuple(value) if isinstance(value, Sequence) else (value,) * count
    try:
        values = tuple(
            None if size is None else as_integer(where, "output_size", size)
            for size in given
        )
    except TypeError:
        values = ()
    if len(values) != count:
        several_ = {1: "one", 2: "two", 3: "three"}[count]
        raise TypeError(
            f"[{where}] got output_size {value!r}; need an integer, None, or "
            f"{several_} of them."
        )
    if any(v is not None and v < 1 for v in values):
        raise ValueError(f"[{where}] got output_size {value!r}; need 1 or more.")
    return values


def _lp(
    input: Tensor,
    norm_type: float,
    kernel_size: Sizes,
    stride: Sizes | None,
    ceil_mode: bool,
    count: int,
) -> Tensor:
    where = f"lp_pool{count}d"
    require_tensors(where, input)
    kernel = several(kernel_size, count, "kernel_size", where)
    pool = avg_pool1d if count == 1 else avg_pool2d
    power: Tensor = input**norm_type
    mean = pool(power, kernel, stride, 0, ceil_mode)
    # Of odd powers a sum below 0 counts as 0.
    return (mean.relu() * math.prod(kernel)) ** (1 / norm_type)


def lp_pool1d(
    input: Tensor,
    norm_type: float,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """(sum of x ** norm_type) ** (1 / norm_type) of each window of a signal.

    Kernel:
        cpp/kernels/avg_pool2d.cu and `zip_number.cu`.

    Example:
        >>> import minitorch
        >>> lp_pool1d(minitorch.tensor([[3.0, 4.0]]), 2, 2).numpy()
        array([[5.]])
    """
    return _lp(input, norm_type, kernel_size, stride, ceil_mode, 1)


def lp_pool2d(
    input: Tensor,
    norm_type: float,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """(sum of x ** norm_type) ** (1 / norm_type) of each window of an image.

    Kernel:
        cpp/kernels/avg_pool2d.cu and `zip_number.cu`.

    Example:
        >>> import minitorch
        >>> lp_pool2d(minitorch.ones(1, 2, 2), 2, 2).numpy()
        array([[[2.]]])
    """
    return _lp(input, norm_type, kernel_size, stride, ceil_mode, 2)


def _unpooled(
    input: Tensor,
    indices: Tensor,
    sizes: tuple[Sizes, Sizes | None, Sizes],
    output_size: Sequence[int] | None,
    count: int,
) -> Tensor:
    where = f"max_unpool{count}d"
    require_tensors(where, input, indices)
    shape = tuple(input.shape)
    if len(shape) not in (count + 1, count + 2) or shape != tuple(indices.shape):
        raise ValueError(
            f"[{where}] got {shape} and indices {tuple(indices.shape)}; need the same, "
            f"{_NEED[count]}."
        )
    kernel = several(sizes[0], count, "kernel_size", where)
    steps = kernel if sizes[1] is None else several(sizes[1], count, "stride", where)
    pads = several(sizes[2], count, "padding", where)
    cells = shape[-count:]
    wanted = [
        (size - 1) * step - 2 * pad + width
        for size, step, pad, width in zip(cells, steps, pads, kernel, strict=True)
    ]
    if output_size is not None:
        given = list(output_size)[-count:]
        near = [abs(g - w) < s for g, w, s in zip(given, wanted, steps, strict=True)]
        if not all(near):
            raise ValueError(
                f"[{where}] got output_size {tuple(output_size)}; need {tuple(wanted)} "
                f"or less than a stride {steps} beside it."
            )
        wanted = given
    return windows.unpooled(input, indices, wanted)


def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """The way back of max_pool1d; as max_unpool2d.

    Kernel:
        `fill.cu`, `check_index.cu` and `scatter.cu`.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([[1.0, 5.0]])
        >>> at = minitorch.tensor([[0, 3]], dtype="int64")
        >>> max_unpool1d(x, at, 2).numpy()
        array([[1., 0., 0., 5.]])
    """
    sizes = kernel_size, stride, padding
    return _unpooled(input, indices, sizes, output_size, 1)


def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """The maxima of max_pool2d at their places, and 0 elsewhere.

    Args:
        input: What max_pool2d gave with return_indices.
        indices: The places, which it gave as well.
        kernel_size, stride, padding: Those of max_pool2d.
        output_size: Rows and columns, if several sizes fit.

    Raises:
        ValueError: The shapes do not fit.
        IndexError: A place lies outside.

    Kernel:
        `fill.cu`, `check_index.cu` and `scatter.cu`.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([[[5.0]]])
        >>> max_unpool2d(x, minitorch.tensor([[[2]]], dtype="int64"), 2).numpy()
        array([[[0., 0.],
                [5., 0.]]])
    """
    sizes = kernel_size, stride, padding
    return _unpooled(input, indices, sizes, output_size, 2)
