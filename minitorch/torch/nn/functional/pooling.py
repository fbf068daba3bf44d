"""Pooling with PyTorch's signatures."""

from __future__ import annotations

from typing import Any, cast

from .... import functional
from ...tensor import Tensor
from ..arguments import computed, require_torch

__all__ = [
    "adaptive_avg_pool2d",
    "avg_pool1d",
    "avg_pool2d",
    "max_pool1d",
    "max_pool2d",
]


def said(**options: Any) -> dict[str, Any]:
    """The options that are not the usual ones, None or False."""
    return {name: value for name, value in options.items() if value}


def shown(found: Any) -> Any:
    """The maxima; with them their places, which the library made for itself."""
    return (found[0], found[1].as_torch()) if isinstance(found, tuple) else found


def max_pool1d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest cell of each window of (n, channels, length); as `max_pool2d`."""
    require_torch("max_pool1d", input)
    options = kernel_size, stride or None, padding, dilation
    more = said(ceil_mode=ceil_mode, return_indices=return_indices)
    return shown(computed(functional.max_pool1d, input, *options, **more))


def max_pool2d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest cell of each window of (n, channels, height, width).

    Args:
        input: Also (channels, height, width).
        kernel_size: Cells of a window: a number, or (rows, columns), as the others.
        stride: Between neighbouring windows; by default `kernel_size`.
        padding: Cells of -inf on all sides.
        dilation: Between neighbouring taps.
        ceil_mode: Also windows that reach past the end.
        return_indices: Also return where the largest cells are, in their image.

    Returns:
        (n, channels, rows, columns), or with it the indices (int64).

    Example:
        >>> import minitorch
        >>> x = minitorch.arange(16).reshape(1, 4, 4).as_torch()
        >>> max_pool2d(x, 2).numpy()
        array([[[ 5.,  7.],
                [13., 15.]]])
    """
    require_torch("max_pool2d", input)
    options = kernel_size, stride or None, padding, dilation
    more = said(ceil_mode=ceil_mode, return_indices=return_indices)
    return shown(computed(functional.max_pool2d, input, *options, **more))


def avg_pool1d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """The mean of each window of (n, channels, length); as `avg_pool2d`."""
    require_torch("avg_pool1d", input)
    options = kernel_size, stride or None, padding
    more = {"ceil_mode": ceil_mode, "count_include_pad": count_include_pad}
    return cast(Tensor, computed(functional.avg_pool1d, input, *options, **more))


def avg_pool2d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean of each window of (n, channels, height, width).

    Args:
        input: Also (channels, height, width).
        kernel_size: Cells of a window: a number, or (rows, columns), as the others.
        stride: Between neighbouring windows; by default `kernel_size`.
        padding: Zeros on all sides.
        ceil_mode: Also windows that reach past the end.
        count_include_pad: Is the padding part of the mean?
        divisor_override: What sums are divided by, in place of the number of cells.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.nn.functional.avg_pool2d(torch.ones(1, 1, 4, 4), 2).shape
        torch.Size([1, 1, 2, 2])
    """
    require_torch("avg_pool2d", input)
    options = kernel_size, stride or None, padding
    more = {"ceil_mode": ceil_mode, "count_include_pad": count_include_pad}
    more |= said(divisor_override=divisor_override)
    return cast(Tensor, computed(functional.avg_pool2d, input, *options, **more))


def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """The means of windows that share an image out evenly, whatever its size.

    Args:
        input: (n, channels, height, width), or (channels, height, width).
        output_size: (rows, columns), or one number for both; None keeps the input's.

    Example:
        >>> import minitorch.torch as torch
        >>> x = torch.ones(1, 3, 7, 5)
        >>> torch.nn.functional.adaptive_avg_pool2d(x, 1).shape
        torch.Size([1, 3, 1, 1])
    """
    require_torch("adaptive_avg_pool2d", input)
    return cast(Tensor, computed(functional.adaptive_avg_pool2d, input, output_size))
