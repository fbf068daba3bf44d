"""Activation functions with options or composed of elementwise ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import Tensor
from ..autograd.stand_ins import reads_values
from .arguments import require_tensors
from .math import where

__all__ = ["elu", "leaky_relu", "relu", "silu", "softplus"]


def in_place(
    where: str, input: Tensor, inplace: bool, function: Callable[[Any], Any]
) -> Tensor:
    """Return function(input); `inplace` puts it into the input's memory.

    Memory that nothing else shows is left to what the gradient needs of it; other
    memory is written, and a gradient finds the old elements in a copy.
    """
    require_tensors(where, input)
    if not isinstance(inplace, bool):
        raise TypeError(f"[{where}] got inplace {inplace!r}; need True or False.")
    if not inplace:
        out: Tensor = function(input)
        return out
    if input._has_memory_alone:
        result = function(input)
        if result is not input:
            input._become(result)
        return input
    recorded = input.requires_grad and _core.grad_enabled()
    input._assign_view(function(input.clone() if recorded else input))
    return input


def _applied(
    where: str, input: Tensor, inplace: bool, function: Callable[[Any], Any]
) -> Tensor:
    """Return function(input) as `in_place` does; TypeError for non-float dtypes."""
    require_tensors(where, input)
    if not input.dtype.is_floating_point:
        raise TypeError(
            f"[{where}] got dtype {input.dtype.name}; need a floating-point dtype. Try "
            "input.float()."
        )
    return in_place(where, input, inplace, function)


@reads_values
def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(x, 0); its gradient is 0 at 0.

    Args:
        input: Any shape.
        inplace: Put the result into the input's memory.

    Returns:
        Shape, dtype and device of the input.

    Kernel:
        `map.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> relu(minitorch.tensor([-1.0, 2.0]))
        tensor([0., 2.])
    """
    return in_place("relu", input, inplace, _core.Tensor.relu)


@reads_values
def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """x * sigmoid(x); `inplace` as for `relu`.

    Kernel:
        `map.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> silu(minitorch.tensor([0.0, 1.0])).numpy().round(4)
        array([0.    , 0.7311])
    """
    return in_place("silu", input, inplace, _core.Tensor.silu)


def leaky_relu(
    input: Tensor, negative_slope: float = 0.01, inplace: bool = False
) -> Tensor:
    """x where it is positive, negative_slope x elsewhere.

    Args:
        input: Any shape.
        negative_slope: Of the other side; it is the gradient at 0, too.
        inplace: Put the result into the input's memory.

    Returns:
        Shape, dtype and device of the input.

    Kernel:
        `zip_number.cu` and `where.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> leaky_relu(minitorch.tensor([-2.0, 3.0]), 0.5)
        tensor([-1.,  3.])
    """

    def function(x: Tensor) -> Tensor:
        return where(x.gt(0), x, x * negative_slope)

    return in_place("leaky_relu", input, inplace, function)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x where it is positive, alpha (exp(x) - 1) elsewhere.

    Clevert et al., "Fast and accurate deep network learning by exponential linear
    units" (2016).

    Args:
        input: Any shape, of a floating dtype.
        alpha: Minus the limit on the other side.
        inplace: Put the result into the input's memory.

    Kernel:
        `map.cu`, `zip.cu` and `where.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> elu(minitorch.tensor([0.0, 3.0]))
        tensor([0., 3.])
    """

    def function(x: Tensor) -> Tensor:
        above = x.gt(0)
        return above._where(x, above._where(0.0, x).expm1() * alpha)

    return _applied("elu", input, inplace, function)


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """log(1 + exp(beta x)) / beta, without overflow: a smooth relu.

    Args:
        input: Any shape, of a floating dtype.
        beta: How sharp the bend is.
        threshold: Where beta x is larger, x itself.

    Kernel:
        `map.cu`, `zip.cu` and `where.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> round(softplus(minitorch.tensor([0.0])).item(), 4)
        0.6931
    """

    def function(x: Tensor) -> Tensor:
        bent = x if beta == 1 else x * beta
        above = bent.gt(0)
        low = above._where(-bent, bent).exp().log1p()
        out = above._where(bent, 0.0) + low  # with gradient ½ at 0
        straight = bent.gt(threshold)
        return straight._where(x, out if beta == 1 else out / beta)

    return _applied("softplus", input, False, function)
