"""The activation functions with PyTorch's signatures."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, cast

from .... import _core, functional
from ....autograd.stand_ins import reads_values
from ...tensor import Tensor
from ..arguments import require_torch

__all__ = [
    "gelu",
    "leaky_relu",
    "log_softmax",
    "relu",
    "relu_",
    "sigmoid",
    "silu",
    "softmax",
    "tanh",
]


def in_place(input: Tensor, change: Callable[[Any], Any], inplace: bool) -> Tensor:
    """What `change` makes of the input, with `inplace` in the input's place.

    Memory that nothing else shows is left to what the gradient needs of it; other
    memory is written, and a gradient finds the old elements in a copy.
    """
    if not inplace:
        return cast(Tensor, change(input))
    if input._has_memory_alone:
        result = change(input)
        if result is not input:
            input._become(result)
        return input
    recorded = input.requires_grad and _core.grad_enabled()
    input._assign_view(change(input.clone() if recorded else input))
    return input


@reads_values
def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(x, 0).

    Args:
        input: Any shape.
        inplace: Put the result into the memory of `input`.

    Example:
        >>> import minitorch
        >>> relu(minitorch.tensor([-1.0, 2.0]).as_torch()).numpy()
        array([0., 2.])
    """
    require_torch("relu", input)
    return in_place(input, _core.Tensor.relu, inplace)


def relu_(input: Tensor) -> Tensor:
    """`relu` in place."""
    return relu(input, True)


@reads_values
def leaky_relu(
    input: Tensor, negative_slope: float = 0.01, inplace: bool = False
) -> Tensor:
    """x where it is positive, negative_slope * x elsewhere.

    Example:
        >>> import minitorch
        >>> leaky_relu(minitorch.tensor([-2.0, 3.0]).as_torch(), 0.5).numpy()
        array([-1.,  3.])
    """
    require_torch("leaky_relu", input)

    def change(x: Any) -> Any:
        below = _core.Tensor.le(x, 0)
        return functional.where(below, x * negative_slope, x)

    return in_place(input, change, inplace)


@reads_values
def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """x Φ(x), Φ being the normal distribution's; "tanh" approximates it.

    Raises:
        RuntimeError: `approximate` is another word.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.nn.functional.gelu(torch.tensor([0.0, 1.0]))
        tensor([0.0000, 0.8413])
    """
    require_torch("gelu", input)
    if approximate not in ("none", "tanh"):
        raise RuntimeError(
            f"[gelu] got approximate {approximate!r}; need 'none' or 'tanh'."
        )
    return cast(Tensor, functional.gelu(input, approximate))


@reads_values
def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """x sigmoid(x).

    Example:
        >>> import minitorch.torch as torch
        >>> torch.nn.functional.silu(torch.tensor([0.0, 1.0]))
        tensor([0.0000, 0.7311])
    """
    require_torch("silu", input)
    return in_place(input, _core.Tensor.silu, inplace)


@reads_values
def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-x)); as `torch.sigmoid`.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.nn.functional.sigmoid(torch.zeros(1))
        tensor([0.5000])
    """
    require_torch("sigmoid", input)
    return cast(Tensor, _core.Tensor.sigmoid(input))


@reads_values
def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent; as `torch.tanh`.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.nn.functional.tanh(torch.zeros(1))
        tensor([0.])
    """
    require_torch("tanh", input)
    return cast(Tensor, _core.Tensor.tanh(input))


def implied_dim(where: str, ndim: int) -> int:
    """The dim that old programs mean by none; a warning says which."""
    dim = 0 if ndim in (0, 1, 3) else 1
    warnings.warn(
        f"[{where}] got no dim and took {dim}; need dim=: what adds up to 1.",
        stacklevel=3,
    )
    return dim


def as_floating(where: str, input: Tensor, dtype: Any) -> Tensor:
    """The input in `dtype`; RuntimeError for integers, which have no exponentials."""
    if dtype is not None:
        return cast(Tensor, input._cast(_core.as_dtype(dtype)))
    if not input.dtype.is_floating_point:
        raise RuntimeError(
            f"[{where}] got {input.dtype.name}; need a floating dtype. Try .float()."
        )
    return input


def softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None
) -> Tensor:
    """exp(x) / sum(exp(x)) along `dim`, without overflow.

    Args:
        input: Any shape.
        dim: Along which the result adds up to 1.
        dtype: That the input is converted to first.

    Raises:
        RuntimeError: Integers, without `dtype`.
        IndexError: There is no such dim.

    Example:
        >>> import minitorch
        >>> softmax(minitorch.tensor([0.0, 0.0]).as_torch(), dim=0).numpy()
        array([0.5, 0.5])
    """
    require_torch("softmax", input)
    dim = implied_dim("softmax", input.dims) if dim is None else dim
    x = as_floating("softmax", input, dtype)
    if not x.dims:
        return cast(Tensor, functional.softmax(x._reshape((1,)), dim)._reshape(()))
    return cast(Tensor, functional.softmax(x, dim))


def log_softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None
) -> Tensor:
    """x - log(sum(exp(x))) along `dim`, without overflow; as for `softmax`.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.nn.functional.log_softmax(torch.zeros(2), dim=0)
        tensor([-0.6931, -0.6931])
    """
    require_torch("log_softmax", input)
    dim = implied_dim("log_softmax", input.dims) if dim is None else dim
    x = as_floating("log_softmax", input, dtype)
    if not x.dims:
        return cast(Tensor, functional.log_softmax(x._reshape((1,)), dim)._reshape(()))
    return cast(Tensor, functional.log_softmax(x, dim))
