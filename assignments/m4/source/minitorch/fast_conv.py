"""Convolutions of signals and images in compiled loops (4.1, 4.2).

The output is as large as the input; the weight's first cell lies on the output's place,
and beyond the input's end there are zeros. Must not know layers of networks.
"""

from __future__ import annotations

from numba import njit, prange

from .autodiff import Context
from .tensor import Tensor
from .tensor_functions import Function


def _tensor_conv1d(
    out, out_shape, out_strides, out_size,
    input, input_shape, input_strides, weight, weight_shape, weight_strides, reverse,
):  # fmt: skip
    """out[b, o, i] = sum over c, k of input[b, c, i + k] * weight[o, c, k].

    Task 4.1. Sizes: out (batch, out_channels, width), input (batch, in_channels,
    width), weight (out_channels, in_channels, k). Where i + k is beyond the input there
    is nothing to add. If `reverse`, the weight reaches back: input[b, c, i - k]. The
    widths of out and input may differ.

    The outer loop is a `prange`, without index buffers; the inner ones write only to a
    local variable.
    """
    batches, out_channels, out_width = out_shape
    _, in_channels, width = input_shape
    _, _, reach = weight_shape
    ### BEGIN SOLUTION
    step = -1 if reverse else 1
    for row in prange(batches * out_channels):
        batch, o = row // out_channels, row % out_channels
        for i in range(out_width):
            total = 0.0
            for c in range(in_channels):
                here = batch * input_strides[0] + c * input_strides[1]
                there = o * weight_strides[0] + c * weight_strides[1]
                for k in range(reach):
                    at = i + step * k
                    if 0 <= at < width:
                        x = input[here + at * input_strides[2]]
                        total += x * weight[there + k * weight_strides[2]]
            place = batch * out_strides[0] + o * out_strides[1] + i * out_strides[2]
            out[place] = total
    ### END SOLUTION


tensor_conv1d = njit(parallel=True)(_tensor_conv1d)


class Conv1dFun(Function):
    """Convolution of signals, with its derivatives.

    Example:
        >>> x = tensor([[[1.0, 2.0, 3.0]]])  # doctest: +SKIP
        >>> conv1d(x, tensor([[[1.0, 10.0]]]))  # doctest: +SKIP
        [[[21.00 32.00 3.00]]]
    """

    @staticmethod
    def forward(ctx: Context, input: Tensor, weight: Tensor) -> Tensor:
        """input (b, c, w), weight (o, c, k) -> (b, o, w)"""
        ctx.save_for_backward(input, weight)
        batch, channels, width = input.shape
        out_channels, also_channels, _ = weight.shape
        assert channels == also_channels, f"channels of {input.shape}, {weight.shape}"
        out = input.zeros((batch, out_channels, width))
        tensor_conv1d(*out.tuple(), out.size, *input.tuple(), *weight.tuple(), False)
        return out

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> tuple[Tensor, Tensor]:
        """Task 4.1: both derivatives are convolutions themselves.

        input[i + k] meets weight[k] in output[i]. So the weight's derivative is the
        input convolved with grad_output, batches in the place of channels; and the
        input's is grad_output convolved with the weight, which reaches back.
        """
        input, weight = ctx.saved_values
        ### BEGIN SOLUTION
        batch, channels, width = input.shape
        out_channels, _, reach = weight.shape
        # (c, b, w) with (o, b, w) -> (c, o, k) -> (o, c, k)
        by_weight = grad_output.zeros((channels, out_channels, reach))
        turned = input.permute(1, 0, 2), grad_output.permute(1, 0, 2)
        tensor_conv1d(
            *by_weight.tuple(), by_weight.size, *turned[0].tuple(), *turned[1].tuple(),
            False,
        )  # fmt: skip
        # (b, o, w) with (c, o, k) -> (b, c, w)
        by_input = input.zeros((batch, channels, width))
        tensor_conv1d(
            *by_input.tuple(), by_input.size, *grad_output.tuple(),
            *weight.permute(1, 0, 2).tuple(), True,
        )  # fmt: skip
        return by_input, by_weight.permute(1, 0, 2)
        ### END SOLUTION


conv1d = Conv1dFun.apply


def _tensor_conv2d(
    out, out_shape, out_strides, out_size,
    input, input_shape, input_strides, weight, weight_shape, weight_strides, reverse,
):  # fmt: skip
    """Task 4.2: the same in two dimensions, k down and l across.

    out[b, o, i, j] = sum over c, k, l of
    input[b, c, i + k, j + l] * weight[o, c, k, l].

    If `reverse`, the weight reaches back both ways: input[b, c, i - k, j - l].
    """
    batches, out_channels, out_height, out_width = out_shape
    _, in_channels, height, width = input_shape
    _, _, down, across = weight_shape
    ### BEGIN SOLUTION
    step = -1 if reverse else 1
    s0, s1, s2, s3 = input_strides
    t0, t1, t2, t3 = weight_strides
    for row in prange(batches * out_channels * out_height):
        i = row % out_height
        o = row // out_height % out_channels
        batch = row // out_height // out_channels
        for j in range(out_width):
            total = 0.0
            for c in range(in_channels):
                for k in range(down):
                    y = i + step * k
                    if not 0 <= y < height:
                        continue
                    here = batch * s0 + c * s1 + y * s2
                    there = o * t0 + c * t1 + k * t2
                    for m in range(across):
                        x = j + step * m
                        if 0 <= x < width:
                            total += input[here + x * s3] * weight[there + m * t3]
            place = batch * out_strides[0] + o * out_strides[1]
            out[place + i * out_strides[2] + j * out_strides[3]] = total
    ### END SOLUTION


tensor_conv2d = njit(parallel=True)(_tensor_conv2d)


class Conv2dFun(Function):
    """Convolution of images, with its derivatives."""

    @staticmethod
    def forward(ctx: Context, input: Tensor, weight: Tensor) -> Tensor:
        """input (b, c, h, w), weight (o, c, k, l) -> (b, o, h, w)"""
        ctx.save_for_backward(input, weight)
        batch, channels, height, width = input.shape
        out_channels, also_channels, _, _ = weight.shape
        assert channels == also_channels, f"channels of {input.shape}, {weight.shape}"
        out = input.zeros((batch, out_channels, height, width))
        tensor_conv2d(*out.tuple(), out.size, *input.tuple(), *weight.tuple(), False)
        return out

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> tuple[Tensor, Tensor]:
        """Task 4.2: as in one dimension."""
        input, weight = ctx.saved_values
        ### BEGIN SOLUTION
        batch, channels, height, width = input.shape
        out_channels, _, down, across = weight.shape
        # (c, b, h, w) with (o, b, h, w) -> (c, o, k, l) -> (o, c, k, l)
        by_weight = grad_output.zeros((channels, out_channels, down, across))
        turned = input.permute(1, 0, 2, 3), grad_output.permute(1, 0, 2, 3)
        tensor_conv2d(
            *by_weight.tuple(), by_weight.size, *turned[0].tuple(), *turned[1].tuple(),
            False,
        )  # fmt: skip
        # (b, o, h, w) with (c, o, k, l) -> (b, c, h, w)
        by_input = input.zeros((batch, channels, height, width))
        tensor_conv2d(
            *by_input.tuple(), by_input.size, *grad_output.tuple(),
            *weight.permute(1, 0, 2, 3).tuple(), True,
        )  # fmt: skip
        return by_input, by_weight.permute(1, 0, 2, 3)
        ### END SOLUTION


conv2d = Conv2dFun.apply
