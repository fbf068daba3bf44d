"""Convolutions of signals and images, and transposed convolution."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import FitError, Tensor
from .arguments import Sizes, one, pair, require_tensors, several

__all__ = ["conv1d", "conv2d", "conv_transpose2d"]


def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes | str = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Tensor:
    """Convolution (cross-correlation) of signals.

    out[n, o, i] = bias[o] + sum over c, k of
    input[n, c, i * stride - padding + k * dilation] * weight[o, c, k]

    Args:
        input: (n, channels, length), or (channels, length) for one signal.
        weight: (outputs, channels / groups, kernel).
        bias: (outputs,).
        stride: Cells between neighbouring windows.
        padding: Zeros at both ends; "valid" for none, "same" for an output as long as
            the input (at stride 1).
        dilation: Cells between neighbouring taps of a window.
        groups: Parts of the channels that do not see each other.

    Returns:
        (n, outputs, (length + 2 padding - dilation (kernel - 1) - 1) // stride + 1), of
        the dtype and on the device of the input.

    Raises:
        ValueError: Shapes do not fit, or a window is larger than the padded input.

    Kernel:
        cpp/kernels/conv2d.cu, one thread an output cell; from 32 outputs on
        conv2d_tiled.cu, through shared memory.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([[[1.0, 2.0, 4.0, 8.0]]])
        >>> conv1d(x, minitorch.tensor([[[-1.0, 1.0]]])).numpy()
        array([[[1., 2., 4.]]])
    """
    require_tensors("conv1d", input, weight, optional=(bias,))
    if len(input.shape) == 2:
        batch = input.unsqueeze(0)
        return conv1d(batch, weight, bias, stride, padding, dilation, groups).squeeze(0)
    step = one(stride, "stride", "conv1d")
    gap = one(dilation, "dilation", "conv1d")
    before, after = _ends(padding, weight, (step,), (gap,), "conv1d")
    return _core.conv1d(
        input, weight, bias, step, before[0], after[0], gap, _groups(groups, "conv1d")
    )


def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes | str = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Tensor:
    """Convolution (cross-correlation) of images; sizes as a number or (rows, columns).

    Args:
        input: (n, channels, height, width), or (channels, height, width) for one image.
        weight: (outputs, channels / groups, kernel rows, kernel columns).
        bias: (outputs,).
        stride: Cells between neighbouring windows.
        padding: Zeros on all sides; "valid" for none, "same" for an output of the
            input's size (at stride 1).
        dilation: Cells between neighbouring taps of a window.
        groups: Parts of the channels that do not see each other.

    Returns:
        (n, outputs, rows, columns), each of them
        (size + 2 padding - dilation (kernel - 1) - 1) // stride + 1.

    Raises:
        ValueError: Shapes do not fit, or a window is larger than the padded input.

    Kernel:
        cpp/kernels/conv2d.cu, one thread an output cell; from 32 outputs and 32 taps
        of a window on conv2d_tiled.cu, through shared memory.

    Example:
        >>> import minitorch
        >>> x = minitorch.arange(9).reshape(1, 1, 3, 3)
        >>> conv2d(x, minitorch.ones(1, 1, 2, 2)).numpy()
        array([[[[ 8., 12.],
                 [20., 24.]]]])
    """
    require_tensors("conv2d", input, weight, optional=(bias,))
    if len(input.shape) == 3:
        batch = input.unsqueeze(0)
        return conv2d(batch, weight, bias, stride, padding, dilation, groups).squeeze(0)
    steps = pair(stride, "stride", "conv2d")
    gaps = pair(dilation, "dilation", "conv2d")
    before, after = _ends(padding, weight, steps, gaps, "conv2d")
    return _core.conv2d(
        input, weight, bias, steps, before, after, gaps, _groups(groups, "conv2d")
    )


def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes = 0,
    output_padding: Sizes = 0,
    groups: int = 1,
    dilation: Sizes = 1,
) -> Tensor:
    """Transposed convolution: conv2d's map from output to input gradient.

    Args:
        input: (n, channels, height, width).
        weight: (channels, outputs / groups, kernel rows, kernel columns).
        bias: (outputs,).
        stride: Of the convolution that is transposed, as are the others.
        padding: Cells cut off on all sides.
        output_padding: Cells added at the bottom and at the right.
        groups: Parts of the channels that do not see each other.
        dilation: Cells between neighbouring taps of a window.

    Returns:
        (n, outputs, rows, columns), each of them (size - 1) stride - 2 padding +
        dilation (kernel - 1) + output_padding + 1.

    Kernel:
        cpp/kernels/conv2d_grad_input.cu, one thread an output cell.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([[[[1.0, 2.0]]]])
        >>> conv_transpose2d(x, minitorch.ones(1, 1, 1, 2), stride=2).numpy()
        array([[[[1., 1., 2., 2.]]]])
    """
    where = "conv_transpose2d"
    require_tensors(where, input, weight, optional=(bias,))
    if len(input.shape) == 3 and len(weight.shape) == 4:
        options = stride, padding, output_padding, groups, dilation
        return conv_transpose2d(input.unsqueeze(0), weight, bias, *options).squeeze(0)
    if len(input.shape) != 4 or len(weight.shape) != 4:
        raise FitError(
            f"[{where}] got input {tuple(input.shape)} and weight "
            f"{tuple(weight.shape)}; need (n, channels, height, width) and (channels, "
            "outputs / groups, rows, columns)."
        )
    steps, gaps = pair(stride, "stride", where), pair(dilation, "dilation", where)
    pads = pair(padding, "padding", where)
    extra = pair(output_padding, "output_padding", where)
    parts = _groups(groups, where)
    sizes = _transposed_sizes(input.shape, weight.shape, steps, gaps, pads, extra)
    shape = (input.shape[0], weight.shape[1] * parts, *sizes)
    out = _core.conv_transpose2d(input, weight, shape, steps, pads, pads, gaps, parts)
    return out if bias is None else out + bias.reshape(1, -1, 1, 1)


def _transposed_sizes(
    input: tuple[int, ...], weight: tuple[int, ...], *options: tuple[int, int]
) -> list[int]:
    """Return rows and columns of the output; raise if the options do not fit."""
    steps, gaps, pads, extra = options
    sizes = [
        (input[2 + d] - 1) * steps[d]
        - 2 * pads[d]
        + gaps[d] * (weight[2 + d] - 1)
        + extra[d]
        + 1
        for d in (0, 1)
    ]
    if min(sizes) < 1 or any(
        not 0 <= extra[d] < max(steps[d], gaps[d]) for d in (0, 1)
    ):
        raise FitError(
            f"[conv_transpose2d] padding {pads} and output_padding {extra} give an "
            f"output of size {tuple(sizes)}. Sizes must be at least 1, and "
            "output_padding must be smaller than stride or dilation."
        )
    return sizes


def _groups(groups: Any, where: str) -> int:
    return one(groups, "groups", where)


def _ends(
    padding: Any,
    weight: Tensor,
    steps: tuple[int, ...],
    gaps: tuple[int, ...],
    where: str,
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the zeros before and after, per dimension; "same" puts odd ones after."""
    count = len(gaps)
    if padding == "valid":
        padding = 0
    if padding != "same":
        both = several(padding, count, "padding", where)
        return both, both
    if any(step != 1 for step in steps):
        raise FitError(f"[{where}] padding 'same' needs stride 1, got stride {steps}.")
    kernel = weight.shape[-count:]
    total = [gap * (size - 1) for gap, size in zip(gaps, kernel, strict=False)]
    before = tuple(t // 2 for t in total)
    return before, tuple(t - b for t, b in zip(total, before, strict=True))
