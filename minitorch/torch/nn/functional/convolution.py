"""Convolutions and products with PyTorch's signatures."""

from __future__ import annotations

from typing import Any, cast

from .... import _core, functional
from ....tensors.op_calls import open_overrides
from ...tensor import Tensor
from ..arguments import computed, require_one_dtype, require_torch

__all__ = ["conv1d", "conv2d", "conv_transpose2d", "linear"]

_base: Any = _core.Tensor


def linear_at_once(input: Any, weight: Any, bias: Any) -> Tensor | None:
    """`linear` of what fits, without the questions that find words for what does not.

    None where something may be wrong, or an override wants to be asked.
    """
    if open_overrides or not (
        isinstance(input, Tensor)
        and isinstance(weight, Tensor)
        and (bias is None or (isinstance(bias, Tensor) and bias.dims == 1))
    ):
        return None
    dtype = weight.dtype
    if weight.dims != 2 or input.dims < 2 or input.dtype is not dtype:
        return None
    try:
        # (…, in) @ (in, out) -> (…, out)
        out = _base.__matmul__(input, _base._permute(weight, (1, 0)))
        if bias is None:
            return cast(Tensor, out)
        if bias.dtype is not dtype or bias.numel() != weight.shape[0]:
            return None
        return cast(Tensor, _base.__add__(out, bias))
    except ValueError:
        return None


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input @ weight.T + bias: (…, in) -> (…, out).

    Args:
        input: (…, in).
        weight: (out, in), or (in,) for one output that has no dimension.
        bias: (out,), or () for one output.

    Example:
        >>> import minitorch
        >>> x, w = minitorch.ones(4, 3).as_torch(), minitorch.ones(2, 3).as_torch()
        >>> linear(x, w).shape == (4, 2)
        True
    """
    quick = linear_at_once(input, weight, bias)
    if quick is not None:
        return quick
    require_torch("linear", input, weight, optional=(bias,))
    require_one_dtype("linear", input, weight, bias)
    if weight.dims == 1:
        out: Any = computed(functional.matmul, input, weight)
        return cast(Tensor, out if bias is None else out + bias)
    if bias is not None and bias.dims == 0:
        bias = cast(Tensor, bias._expand((weight.shape[0],)))
    return cast(Tensor, computed(functional.linear, input, weight, bias))


def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Convolution (cross-correlation) of signals (n, channels, length).

    Args:
        input: Also (channels, length), one signal.
        weight: (outputs, channels / groups, kernel).
        padding: Zeros at both ends, "valid" or "same".

    Returns:
        (n, outputs, places).
    """
    require_torch("conv1d", input, weight, optional=(bias,))
    options = bias, stride, padding, dilation, groups
    require_one_dtype("conv1d", input, weight, bias)
    return cast(Tensor, computed(functional.conv1d, input, weight, *options))


def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Convolution (cross-correlation) of images (n, channels, height, width).

    Args:
        input: Also (channels, height, width), one image.
        weight: (outputs, channels / groups, rows, columns).
        padding: Zeros on all sides, "valid" or "same".

    Returns:
        (n, outputs, rows, columns).
    """
    require_torch("conv2d", input, weight, optional=(bias,))
    options = bias, stride, padding, dilation, groups
    require_one_dtype("conv2d", input, weight, bias)
    return cast(Tensor, computed(functional.conv2d, input, weight, *options))


def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Tensor:
    """The transposed convolution: what conv2d's gradient does to the input's gradient.

    Args:
        input: (n, channels, height, width), or (channels, height, width).
        weight: (channels, outputs / groups, rows, columns).
    """
    require_torch("conv_transpose2d", input, weight, optional=(bias,))
    options = bias, stride, padding, output_padding, groups, dilation
    require_one_dtype("conv_transpose2d", input, weight, bias)
    batch = input if input.dims != 3 else input.unsqueeze(0)
    out = computed(functional.conv_transpose2d, batch, weight, *options)
    return cast(Tensor, out if input.dims != 3 else out.squeeze(0))
