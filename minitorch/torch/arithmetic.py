"""Arithmetic of two tensors, or of a tensor and a number: add, div, clamp, where.

The operators `+ - * / ** // %` are the core's own: in PyTorch's dialect it promotes
dtypes as PyTorch does.
"""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _core
from .._core import Tensor as Base
from .arguments import (
    accept_numpy_names,
    device_name_of,
    operand_function,
    require_torch,
    tensor_function,
)
from .dtypes import kind_of, promote_types
from .tensor import METHODS, Tensor, to_host

__all__ = [
    "add", "atan2", "clamp", "div", "floor_divide", "fmod",
    "maximum", "minimum", "mul", "pow", "remainder", "sub", "where",
]  # fmt: skip

Operand = Tensor | float | int | bool

_OPERANDS = (Tensor, float, int, np.generic)


def require_operand(where: str, value: Any) -> None:
    """Raise TypeError unless it is a tensor of PyTorch's dialect or a number."""
    if not isinstance(value, _OPERANDS):
        require_torch(where, value)


def require_operands(where: str, *values: Any) -> None:
    """Raise TypeError unless all are tensors or numbers, and one a tensor."""
    for value in values:
        require_operand(where, value)
    if not any(isinstance(value, Base) for value in values):
        require_torch(where, values[0])


def scalar_like(input: Any, value: Operand) -> Any:
    """Convert a number to a 0-d tensor that promotes as the number would."""
    if isinstance(value, Base):
        return value
    dtype: Any = input.dtype  # unless the number is of a higher kind
    if isinstance(value, float) and not dtype.is_floating_point:
        dtype = _core.torch_default_dtype()
    elif dtype == _core.bool_ and not isinstance(value, bool):
        dtype = _core.int64
    return _core.full((), value, dtype, input.device).as_torch()


def _binary_function(
    name: str,
    summary: str,
    doc: str,
    compute: Callable[..., Any],
    require: Callable[..., None] = require_operands,
) -> Any:
    def function(input: Tensor, other: Operand) -> Tensor:
        require(name, input, other)
        return compute(input, other)  # type: ignore[no-any-return]

    numbers = ", or one of them a number" if require is require_operands else ""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""Return {summary}, elementwise; shapes broadcast.

    Args:
        input, other: Tensors{numbers}; `out=` takes the result.

    Raises:
        TypeError: One is neither, or of MiniTorch's dialect.
        ValueError: The shapes do not broadcast.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.{name}({doc}
    """
    return operand_function(function)


def _method(name: str) -> Callable[..., Any]:
    """Return the core's method, which also accepts a number as first operand."""
    compute = getattr(Base, name)

    def call(input: Any, other: Any) -> Any:
        if not isinstance(input, Base):
            input = scalar_like(other, input)
        elif not isinstance(other, Base) and not input.dtype.is_floating_point:
            other = scalar_like(input, other)  # its kind decides the dtype
        return compute(input, other)

    return call


def _power(input: Any, other: Any) -> Any:
    """Return input ** other; a bool tensor takes only a number, as in PyTorch."""
    if input is True or input is False:
        input = scalar_like(other, input)
    is_truth = isinstance(input, Base) and input.dtype == _core.bool_
    if is_truth and (other is True or other is False):
        return Base.clone(input) if other else Base.eq(input, input)
    if is_truth and isinstance(other, Base) and other.dtype == _core.bool_:
        raise NotImplementedError(
            "[pow] is not defined for torch.bool and torch.bool. Try .int()."
        )
    return input**other


def _has_zero(divisor: Any) -> builtins.bool:
    """Return whether a number, or an integer tensor on the CPU, contains 0."""
    if not isinstance(divisor, Base):
        return bool(divisor == 0)
    if divisor.dtype.is_floating_point or device_name_of(divisor) != "cpu":
        return False
    return bool((to_host(divisor) == 0).any())


def _integer_division(name: str, compute: Callable[..., Any]) -> Callable[..., Any]:
    """Return an integer division that raises for a zero divisor on the CPU."""

    def divide(input: Any, other: Any) -> Any:
        pair = (input, other)
        if not any(
            operand.dtype.is_floating_point
            if isinstance(operand, Base)
            else isinstance(operand, float | np.floating)
            for operand in pair
        ):
            tensor = input if isinstance(input, Base) else other
            if device_name_of(tensor) == "cpu" and _has_zero(other):
                raise RuntimeError(
                    f"[{name}] integer division by zero (ZeroDivisionError). Try "
                    ".float()."
                )
        return compute(input, other)

    return divide


def _integer_operator(name: str, method: str) -> Any:
    """Return an operator such as `//`, from the core's method."""
    base, is_reflected = getattr(Base, method), method.startswith("__r")
    divide = _integer_division(name, lambda input, other: base(*_turned(input, other)))

    def _turned(input: Any, other: Any) -> tuple[Any, Any]:
        return (other, input) if is_reflected else (input, other)

    def operate(self: Any, other: Any) -> Any:
        if not isinstance(other, _OPERANDS):
            return base(self, other)
        return divide(*_turned(self, other))

    return operate


mul = _binary_function(
    "mul",
    "input * other",
    "torch.tensor([2, 3]), 4)\n        tensor([ 8, 12])",
    operator.mul,
)
floor_divide = _binary_function(
    "floor_divide",
    "the quotient, rounded down",
    "torch.tensor([7, -7]), 2)\n        tensor([ 3, -4])",
    _integer_division("floor_divide", operator.floordiv),
)
remainder = _binary_function(
    "remainder",
    "the remainder, with the sign of the divisor",
    "torch.tensor([7, -7]), 3)\n        tensor([1, 2])",
    _integer_division("remainder", operator.mod),
)
fmod = _binary_function(
    "fmod",
    "the remainder, with the sign of the dividend",
    "torch.tensor([7, -7]), 3)\n        tensor([ 1, -1])",
    _integer_division("fmod", _method("fmod")),
)
maximum = _binary_function(
    "maximum",
    "the maximum (NaN propagates)",
    "torch.tensor([1, 5]), torch.tensor([3, 3]))\n        tensor([3, 5])",
    _method("maximum"),
    require_torch,
)
minimum = _binary_function(
    "minimum",
    "the minimum (NaN propagates)",
    "torch.tensor([1, 5]), torch.tensor([3, 3]))\n        tensor([1, 3])",
    _method("minimum"),
    require_torch,
)
atan2 = _binary_function(
    "atan2",
    "the angle of the point (other, input), from -π to π",
    "torch.tensor([0.0]), torch.tensor([1.0]))\n        tensor([0.])",
    _method("atan2"),
    require_torch,
)
pow = _binary_function(
    "pow",
    "input ** other",
    "torch.tensor([1, 2, 3]), 2)\n        tensor([1, 4, 9])",
    _power,
)


def _times(value: Any, alpha: Any) -> Any:
    return value if isinstance(alpha, int) and alpha == 1 else value * alpha


@operand_function
def add(input: Tensor, other: Operand, *, alpha: float = 1) -> Tensor:
    """Return input + alpha * other, elementwise; shapes broadcast.

    Raises:
        TypeError: One is neither a tensor of PyTorch's dialect nor a number.
        ValueError: The shapes do not broadcast.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.add(torch.tensor([1, 2]), torch.tensor([10, 20]), alpha=2)
        tensor([21, 42])
    """
    require_operands("add", input, other)
    return input + _times(other, alpha)  # type: ignore[no-any-return]


@operand_function
def sub(input: Tensor, other: Operand, *, alpha: float = 1) -> Tensor:
    """Return input - alpha * other, elementwise; shapes broadcast.

    Raises:
        TypeError: One is neither a tensor of PyTorch's dialect nor a number.
        ValueError: The shapes do not broadcast.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.sub(torch.tensor([1, 2]), torch.tensor([10, 20]), alpha=2)
        tensor([-19, -38])
    """
    require_operands("sub", input, other)
    return input - _times(other, alpha)  # type: ignore[no-any-return]


@operand_function
def div(input: Tensor, other: Operand, *, rounding_mode: str | None = None) -> Tensor:
    """Return input / other, elementwise; shapes broadcast.

    Args:
        input, other: Tensors, or one of them a number.
        rounding_mode: "floor" and "trunc" give whole numbers, of integers integers.

    Raises:
        RuntimeError: The mode is another word.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.div(torch.tensor([7, -7]), 2, rounding_mode="trunc")
        tensor([ 3, -3])
    """
    require_operands("div", input, other)
    if rounding_mode is None:
        return input / other  # type: ignore[return-value]
    if rounding_mode == "floor":
        return input // other  # type: ignore[return-value]
    if rounding_mode == "trunc":
        return _truncated(input, other)
    raise RuntimeError(
        f"[div] got rounding_mode {rounding_mode!r}; need None, 'trunc' or 'floor'."
    )


def _truncated(input: Any, other: Any) -> Any:
    below = input // other
    if below.dtype.is_floating_point:
        return Base.trunc(input / other)
    # Down where the quotient is below 0 and not whole: up by one.
    inexact = Base.ne(below * other, input)
    return below + (inexact & Base.lt(below, 0))


@tensor_function
def clamp(
    input: Tensor, min: Operand | None = None, max: Operand | None = None
) -> Tensor:
    """Clamp the elements to [min, max]; NaN stays.

    Args:
        input: Any shape.
        min, max: Numbers, or tensors that broadcast with it. Where min is above max,
            max counts.

    Raises:
        RuntimeError: Both limits are missing.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.clamp(torch.tensor([-1.0, 0.5, 2.0]), 0, 1)
        tensor([0.0000, 0.5000, 1.0000])
    """
    if min is None and max is None:
        raise RuntimeError(
            "[clamp] got neither min nor max; need at least one of them."
        )
    limits = [limit for limit in (min, max) if limit is not None]
    for limit in limits:
        require_operand("clamp", limit)
    if len({isinstance(limit, Base) and bool(limit.shape) for limit in limits}) == 2:
        raise TypeError(
            "[clamp] min and max must be two numbers or two tensors, got one of each."
        )
    if any(isinstance(limit, Base) for limit in limits):
        result: Any = input if min is None else maximum(input, scalar_like(input, min))
        result = result if max is None else minimum(result, scalar_like(input, max))
    else:
        result = _clamped(input, min, max)
    return result  # type: ignore[no-any-return]


def _clamped(input: Any, min: Any, max: Any) -> Any:
    """Clamp to numbers; float limits promote an integer tensor."""
    numbers = [limit for limit in (min, max) if limit is not None]
    if any(limit != limit for limit in numbers):
        return input * math.nan
    real = any(isinstance(limit, float) for limit in numbers)
    if real and not input.dtype.is_floating_point:
        input = Base._cast(input, _core.torch_default_dtype())
    return Base.clamp(input, min, max)


def select_where(condition: Any, a: Any, b: Any) -> Any:
    """Select `a` where the condition is true, else `b`, in their common dtype."""
    if isinstance(a, Base) and isinstance(b, Base) and a.dtype != b.dtype:
        common = result_type(a, b)
        a, b = Base._cast(a, common), Base._cast(b, common)
    return Base._where(condition, a, b)


def result_type(tensor1: Any, tensor2: Any) -> Any:
    """Return the dtype in which two tensors or numbers are combined.

    A tensor without dimensions, and a number, count where their kind is higher: bool,
    integer, float.
    """
    known = next((t for t in (tensor1, tensor2) if isinstance(t, Base)), None)
    if known is None:
        known = _core.full((), False, _core.bool_, "cpu").as_torch()
    a, b = scalar_like(known, tensor1), scalar_like(known, tensor2)
    if bool(a.shape) == bool(b.shape):
        return promote_types(a.dtype, b.dtype)
    wide, single = (a, b) if a.shape else (b, a)
    if kind_of(single.dtype) > kind_of(wide.dtype):
        return promote_types(wide.dtype, single.dtype)
    return wide.dtype


@accept_numpy_names
def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    """Select `input` where the condition is true, else `other`; all three broadcast.

    Args:
        condition: Truth values.
        input, other: Tensors or numbers. Without both: the positions where it is true,
            a tensor for each dimension.

    Raises:
        RuntimeError: The condition does not hold truth values.

    Example:
        >>> import minitorch.torch as torch
        >>> x = torch.tensor([-1.0, 2.0])
        >>> torch.where(x > 0, x, 0.0)
        tensor([0., 2.])
    """
    require_torch("where", condition)
    if input is None and other is None:
        indices = Base.nonzero(condition)  # (n, dims)
        dims = len(condition.shape)
        return tuple(
            Base._reshape(Base._slice(indices, 1, i, i + 1, 1), (-1,))
            for i in range(dims)
        )
    if condition.dtype not in (_core.bool_, _core.uint8):
        raise RuntimeError(
            f"[where] got a condition of {condition.dtype}; need torch.bool. Try x > 0."
        )
    require_operand("where", input)
    require_operand("where", other)
    given = next((t for t in (input, other) if isinstance(t, Base)), None)
    if given is None:  # two numbers: a bool counts as less than any
        given = _core.full((), False, _core.bool_, device_name_of(condition)).as_torch()
    return select_where(condition, scalar_like(given, input), scalar_like(given, other))


def _where_method(self: Tensor, condition: Tensor, other: Any) -> Tensor:
    """Select `self` where the condition is true, else `other`.

    Example:
        >>> import minitorch.torch as torch
        >>> x = torch.tensor([-1.0, 2.0])
        >>> x.where(x > 0, 0.0)
        tensor([0., 2.])
    """
    return where(condition, self, other)


METHODS["where"] = _where_method
METHODS |= {
    method: _integer_operator(name, method)
    for name, method in (
        ("floor_divide", "__floordiv__"),
        ("floor_divide", "__rfloordiv__"),
        ("remainder", "__mod__"),
        ("remainder", "__rmod__"),
    )
}
