"""MiniTorch's convolutions: the output has the input's size, the kernel starts at the
pixel, with zeros beyond the end (module 4).

`minitorch.functional.conv2d` is PyTorch's.
"""

from __future__ import annotations

from typing import Any, ClassVar

from . import _core
from ._core import Tensor
from .autodiff import Context
from .autograd.function import Function, enable_grad
from .functional.arguments import require_tensors
from .tensors.tensor_backend import like, plain


def _conv1d(input: Tensor, weight: Tensor) -> Tensor:
    _check("conv1d", input, weight, 3)
    return _core.conv1d(input, weight, None, 1, 0, weight.shape[2] - 1, 1, 1)


def _conv2d(input: Tensor, weight: Tensor) -> Tensor:
    _check("conv2d", input, weight, 4)
    beyond = (weight.shape[2] - 1, weight.shape[3] - 1)
    return _core.conv2d(input, weight, None, (1, 1), (0, 0), beyond, (1, 1), 1)


def _check(where: str, input: Tensor, weight: Tensor, dims: int) -> None:
    require_tensors(where, input, weight)
    if input.dims != dims or weight.dims != dims or input.shape[1] != weight.shape[1]:
        raise ValueError(
            f"[{where}] input is {tuple(input.shape)}, weight is "
            f"{tuple(weight.shape)}; both need {dims} dimensions and equal numbers of "
            "channels (the second size)."
        )


class _Convolution(Function):
    """Base of the convolutions, which the core computes and records."""

    convolve: ClassVar[Any]  # a function of input and weight

    @classmethod
    def forward(cls, ctx: Context, input: Tensor, weight: Tensor) -> Tensor:
        """Convolve: input (b, c, …), weight (o, c, …) -> (b, o, …)."""
        ctx.save_for_backward(input, weight)
        out: Tensor = cls.convolve(input, weight)
        return out

    @classmethod
    def backward(cls, ctx: Context, grad_output: Tensor) -> tuple[Tensor, Tensor]:
        """Return the gradients of input and weight."""
        input, weight = ctx.saved_values
        x, w = plain(input).requires_grad_(), plain(weight).requires_grad_()
        with enable_grad():
            out = cls.convolve(x, w)
        out.backward(plain(grad_output))
        assert x.grad is not None
        assert w.grad is not None
        return like(x.grad, input), like(w.grad, weight)

    @classmethod
    def apply(cls, *values: Tensor) -> Tensor:
        """Return the convolution of input and weight, recorded by the core."""
        out: Tensor = cls.convolve(*values)
        return out


class Conv1dFun(_Convolution):
    """Convolution of signals.

    out[b, o, i] = sum over c, k of input[b, c, i + k] * weight[o, c, k], as if zeros
    followed the input.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([[[1.0, 2.0, 3.0]]])
        >>> Conv1dFun.apply(x, minitorch.tensor([[[1.0, 10.0]]])).numpy()
        array([[[21., 32.,  3.]]])
    """

    convolve = staticmethod(_conv1d)


class Conv2dFun(_Convolution):
    """Convolution of images.

    out[b, o, i, j] = sum over c, k, l of
    input[b, c, i + k, j + l] * weight[o, c, k, l],
    as if zeros followed the input at its right and its bottom.

    Example:
        >>> import minitorch
        >>> image, kernel = minitorch.ones(1, 1, 2, 3), minitorch.ones(1, 1, 2, 2)
        >>> Conv2dFun.apply(image, kernel).numpy()
        array([[[[4., 4., 2.],
                 [2., 2., 1.]]]])
    """

    convolve = staticmethod(_conv2d)


conv1d = Conv1dFun.apply
conv2d = Conv2dFun.apply
