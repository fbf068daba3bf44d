"""Methods that change a tensor in place; the core's `copy_` records the change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import Tensor as Base
from . import (
    arithmetic,
    comparison,
    indexing_ops,
    pointwise,
    shapes,
)
from .arguments import device_name_of, require_torch, tensor_function
from .arithmetic import Operand, require_operand
from .dtypes import kind_of
from .random import drawing_from
from .tensor import METHODS, Tensor

__all__: list[str] = []  # methods of tensors only


def _copy_if_recorded(input: Any) -> Any:
    """Return the input, copied if the graph may need the old elements."""
    recorded = input.requires_grad and _core.grad_enabled()
    return Base.clone(input) if recorded else input


def change(name: str, input: Any, result: Any) -> Any:
    """Replace the elements of `input` by those of the result; return it.

    Raises:
        RuntimeError: The shapes differ, the dtype cannot hold the result, or `input` is
            a leaf that collects a gradient.
    """
    if tuple(result.shape) != tuple(input.shape):
        raise RuntimeError(
            f"[{name}] the result has shape {tuple(result.shape)}, which does not fit "
            f"in the tensor of shape {tuple(input.shape)}. Try the function without "
            "the underscore."
        )
    if kind_of(result.dtype) > kind_of(input.dtype):
        raise RuntimeError(
            f"[{name}] the result is {result.dtype} and cannot be stored in a tensor "
            f"of {input.dtype}. Try the function without the underscore."
        )
    return Base.copy_(input, result)


def in_place(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function that writes its result over its first argument."""
    name = f"{function.__name__}_"

    def changing(input: Tensor, *args: Any, **options: Any) -> Tensor:
        require_torch(name, input)
        return change(name, input, function(_copy_if_recorded(input), *args, **options))

    changing.__name__ = changing.__qualname__ = name
    changing.__doc__ = f"Write `{function.__name__}` of the tensor over it."
    return changing


@tensor_function
def add_(input: Tensor, other: Operand, *, alpha: float = 1) -> Any:
    """Add alpha * other to the tensor, in place.

    Raises:
        RuntimeError: The tensor is a leaf that collects a gradient.
        TypeError: `other` is neither a tensor nor a number, or its kind is higher.
        ValueError: The shape of `other` does not fit.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([8.0]).add_(2).item()
        10.0
    """
    require_operand("add_", other)
    return Base.add_(input, other if alpha == 1 else other * alpha)


@tensor_function
def sub_(input: Tensor, other: Operand, *, alpha: float = 1) -> Any:
    """Subtract alpha * other from the tensor, in place."""
    require_operand("sub_", other)
    return Base.sub_(input, other if alpha == 1 else other * alpha)


@tensor_function
def mul_(input: Tensor, other: Operand) -> Any:
    """Multiply the tensor by other, in place."""
    require_operand("mul_", other)
    return Base.mul_(input, other)


@tensor_function
def pow_(input: Tensor, other: Operand) -> Any:
    """Raise the tensor to the power of other, in place."""
    require_operand("pow_", other)
    return Base.pow_(input, other)


@tensor_function
def div_(input: Tensor, other: Operand, *, rounding_mode: str | None = None) -> Tensor:
    """Divide the tensor by other, in place. See `div`.

    Raises:
        RuntimeError: The tensor holds integers, or is a leaf that collects a gradient.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([7.0]).div_(2, rounding_mode="floor").item()
        3.0
    """
    quotient = arithmetic.div(
        _copy_if_recorded(input), other, rounding_mode=rounding_mode
    )
    return change("div_", input, quotient)  # type: ignore[no-any-return]


@tensor_function
def zero_(input: Tensor) -> Tensor:
    """Set every element to 0, in place.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([3.0]).zero_().item()
        0.0
    """
    return Base.zero_(input)  # type: ignore[return-value]


@tensor_function
def fill_(input: Tensor, value: Operand) -> Tensor:
    """Set every element to `value`, in place.

    Args:
        input: Any shape.
        value: A number, or a tensor without dimensions.

    Raises:
        RuntimeError: `value` has dimensions, or the tensor is a leaf that collects a
            gradient.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([3.0]).fill_(7).item()
        7.0
    """
    require_operand("fill_", value)
    if isinstance(value, Base):
        if value.shape:
            raise RuntimeError(
                f"[fill_] got a value of shape {tuple(value.shape)}; need a number or "
                "a 0-dimensional tensor."
            )
        spread = Base._expand(value, tuple(input.shape))
        return Base.copy_(input, spread)  # type: ignore[return-value]
    if not input.dtype.is_floating_point:
        value = bool(value) if input.dtype == _core.bool_ else int(value)
    return Base.fill_(input, value)  # type: ignore[return-value]


def _require(name: str, is_good: bool, got: str, need: str) -> None:
    if not is_good:
        raise RuntimeError(f"[{name}] got {got}; need {need}.")


def _require_floats(name: str, input: Any) -> None:
    _require(
        name, input.dtype.is_floating_point, str(input.dtype), "a floating-point dtype"
    )


def _drawn(input: Any, name: str, draw: Callable[..., Any], generator: Any) -> Any:
    """Return random numbers in the tensor's shape, in float32 or wider."""
    wide = _core.float64 if input.dtype == _core.float64 else _core.float32
    with drawing_from(name, generator):
        return draw(tuple(input.shape), wide, device_name_of(input)).as_torch()


def _write(input: Any, values: Any) -> Any:
    return Base.copy_(input, Base._cast(values, input.dtype))


@tensor_function
def uniform_(
    input: Tensor,
    from_: float = 0.0,
    to: float = 1.0,
    *,
    generator: Any = None,
    **named: Any,
) -> Tensor:
    """Fill the tensor with uniform random numbers in [`from`, `to`).

    Raises:
        RuntimeError: `from` is above `to`, or the tensor holds no floats.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.zeros(2, 3).uniform_(-1, 1).shape
        torch.Size([2, 3])
    """
    low = named.pop("from", from_)
    _require_floats("uniform_", input)
    _require("uniform_", low <= to and not named, f"from {low} to {to}", "from <= to")
    drawn = _drawn(input, "uniform_", _core.rand, generator)
    return _write(input, drawn * (to - low) + low)


@tensor_function
def normal_(
    input: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Any = None
) -> Tensor:
    """Fill the tensor with normal random numbers.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.zeros(2, 3).normal_(0, 2).shape
        torch.Size([2, 3])
    """
    _require_floats("normal_", input)
    _require("normal_", std >= 0, f"std {std}", "at least 0")
    return _write(input, _drawn(input, "normal_", _core.randn, generator) * std + mean)


def _reshaping(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function that changes the shape of the tensor object itself."""
    name = f"{function.__name__}_"

    def changing(input: Tensor, *args: Any, **options: Any) -> Any:
        require_torch(name, input)
        if input.requires_grad and _core.grad_enabled():
            raise RuntimeError(
                f"[{name}] cannot change a tensor that requires a gradient in place. "
                f"Try {function.__name__} without the underscore."
            )
        return Base._look_as(input, function(input, *args, **options))

    changing.__name__ = changing.__qualname__ = name
    changing.__doc__ = f"Give the tensor the shape of its `{function.__name__}`."
    return changing


def _replacing(name: str, operation: Callable[[Any, Any], Any]) -> Any:
    """Return the method for `x //= y`, which Python would otherwise rebind."""

    def changing(self: Tensor, other: Any) -> Any:
        if not isinstance(other, Tensor | int | float):
            return NotImplemented
        return change(name, self, operation(_copy_if_recorded(self), other))

    return changing


METHODS |= {
    f"{function.__name__}_": in_place(function)
    for function in (
        pointwise.abs,
        pointwise.exp,
        pointwise.floor,
        pointwise.log,
        pointwise.neg,
        pointwise.relu,
        pointwise.round,
        pointwise.sigmoid,
        pointwise.sqrt,
        pointwise.tanh,
        arithmetic.clamp,
        indexing_ops.scatter,
        indexing_ops.scatter_add,
    )
}
METHODS |= {
    f"{function.__name__}_": _reshaping(function)
    for function in (shapes.squeeze, shapes.t, shapes.transpose, shapes.unsqueeze)
}
METHODS |= {
    "__ifloordiv__": _replacing("//=", arithmetic.floor_divide),
    "__imod__": _replacing("%=", arithmetic.remainder),
    "__iand__": _replacing("&=", comparison.bitwise_and),
    "__ior__": _replacing("|=", comparison.bitwise_or),
    "__ixor__": _replacing("^=", comparison.bitwise_xor),
}
