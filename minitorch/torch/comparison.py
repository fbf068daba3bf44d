"""Comparisons, predicates, logical and bitwise functions.

The operators `< <= > >= == !=` and `& | ^` are the core's own: in PyTorch's dialect
comparisons give truth values.
"""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable
from typing import Any

from .. import _core, functional
from .._core import Tensor as Base
from .arguments import operand_function, require_torch, tensor_function
from .arithmetic import Operand, require_operand, require_operands, scalar_like
from .tensor import METHODS, Tensor

__all__ = [
    "allclose", "bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "eq",
    "equal", "ge", "gt", "isclose", "isfinite", "isinf", "isnan", "le", "logical_and",
    "logical_not", "logical_or", "logical_xor", "lt", "ne",
]  # fmt: skip

_Combine = Callable[[Any, Any], Any]


def _named(function: Any, name: str, predicate: str, doc: str, arguments: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""Return whether {predicate}, elementwise; shapes broadcast.

    Args:
        {arguments}

    Returns:
        A tensor of torch.bool.

    Raises:
        TypeError: An argument is no tensor of PyTorch's dialect.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.{name}({doc}
    """
    return tensor_function(function)


def _comparison(name: str, symbol: str, first: str, second: str) -> Any:
    compare = getattr(Base, name)

    def function(input: Tensor, other: Operand) -> Tensor:
        require_operand(name, other)
        return compare(input, other)  # type: ignore[no-any-return]

    doc = f"torch.tensor([1, 2]), 2)\n        tensor([{first}, {second}])"
    arguments = "input: Any shape.\n        other: A tensor or a number."
    return _named(function, name, f"input {symbol} other", doc, arguments)


eq = _comparison("eq", "==", "False", " True")
ge = _comparison("ge", ">=", "False", " True")
gt = _comparison("gt", ">", "False", "False")
le = _comparison("le", "<=", "True", "True")
lt = _comparison("lt", "<", " True", "False")
ne = _comparison("ne", "!=", " True", "False")


isfinite = tensor_function(functional.isfinite)
isinf = tensor_function(functional.isinf)
isnan = tensor_function(functional.isnan)
logical_and = tensor_function(functional.logical_and)
logical_not = tensor_function(functional.logical_not)
logical_or = tensor_function(functional.logical_or)
logical_xor = tensor_function(functional.logical_xor)


def _bits(name: str, summary: str, combine: _Combine, result: int) -> Any:
    def function(input: Operand, other: Operand) -> Tensor:
        require_operands(name, input, other)
        _require_integers(name, input, other)
        if not isinstance(input, Base):
            input = scalar_like(other, input)  # type: ignore[arg-type]
        return combine(input, other)  # type: ignore[no-any-return]

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""Return {summary}, for integers or bools.

    Args:
        input, other: Tensors, or one of them a number; shapes broadcast.

    Raises:
        NotImplementedError: One of them is floating.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.{name}(torch.tensor([6]), 3)
        tensor([{result}])
    """
    return operand_function(function)


def _require_integers(name: str, *values: Any) -> None:
    for value in values:
        real = isinstance(value, float) or (
            isinstance(value, Base) and value.dtype.is_floating_point
        )
        if real:
            got = value.dtype if isinstance(value, Base) else value
            raise NotImplementedError(
                f"[{name}] got {got}; need integers or bools. Try .long()."
            )


bitwise_and = _bits("bitwise_and", "the bits set in both", operator.and_, 2)
bitwise_or = _bits("bitwise_or", "the bits set in one or both", operator.or_, 7)
bitwise_xor = _bits("bitwise_xor", "the bits set in exactly one", operator.xor, 5)


@tensor_function
def bitwise_not(input: Tensor) -> Tensor:
    """Invert the bits of an integer, -1 - x; negate a bool.

    Raises:
        NotImplementedError: The numbers are floating.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.bitwise_not(torch.tensor([0, 5]))
        tensor([-1, -6])
    """
    if input.dtype.is_floating_point:
        raise NotImplementedError(
            f"[bitwise_not] got {input.dtype}; need integers or bools."
        )
    if input.dtype == _core.bool_:
        return Base.eq(input, 0)  # type: ignore[return-value]
    every = 255 if input.dtype == _core.uint8 else -1
    return input ^ every  # type: ignore[no-any-return, operator, return-value]


def _as_comparable(where: str, input: Any, other: Any) -> tuple[Any, Any]:
    require_torch(where, input, other)
    if input.dtype != other.dtype:
        raise RuntimeError(
            f"[{where}] got {input.dtype} and {other.dtype}; they must have the same "
            "dtype."
        )
    return Base.detach(input), Base.detach(other)


@operand_function
def isclose(
    input: Tensor,
    other: Tensor,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    equal_nan: bool = False,
) -> Tensor:
    """Return whether |input - other| <= atol + rtol * |other|, elementwise.

    Args:
        input, other: Of one dtype; shapes broadcast.
        rtol, atol: The tolerance relative to `other`, and the absolute one.
        equal_nan: Are two NaN close?

    Raises:
        RuntimeError: The dtypes differ, or a tolerance is below 0.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.isclose(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.1]))
        tensor([ True, False])
    """
    a, b = _as_comparable("isclose", input, other)
    if rtol < 0 or atol < 0:
        raise RuntimeError(
            f"[isclose] got rtol {rtol} and atol {atol}; both must be at least 0."
        )
    close = Base.eq(a, b)
    if equal_nan:
        close = close | (Base.ne(a, a) & Base.ne(b, b))
    if rtol == 0 and atol == 0:
        return close  # type: ignore[return-value]
    if not a.dtype.is_floating_point:
        a, b = Base._cast(a, _core.float64), Base._cast(b, _core.float64)
    apart = Base.abs(a - b)
    allowed = Base.abs(b) * rtol + atol
    near = Base.le(apart, allowed) & Base.lt(apart, math.inf)
    return close | near  # type: ignore[return-value]


@tensor_function
def allclose(
    input: Tensor,
    other: Tensor,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    equal_nan: bool = False,
) -> bool:
    """Return whether all elements are close; see `isclose`.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.allclose(torch.ones(2), torch.ones(2) + 1e-9)
        True
    """
    close = isclose(input, other, rtol, atol, equal_nan)
    return builtins.bool(Base._item(Base._all(close)))


@tensor_function
def equal(input: Tensor, other: Tensor) -> bool:
    """Return whether shapes and elements are equal.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.equal(torch.tensor([1, 2]), torch.tensor([1, 2]))
        True
    """
    require_torch("equal", other)
    if tuple(input.shape) != tuple(other.shape):
        return False
    same = Base.eq(Base.detach(input), Base.detach(other))
    return builtins.bool(Base._item(Base._all(same)))


def _invert(self: Tensor) -> Tensor:
    if self.dtype.is_floating_point:
        raise TypeError(f"[~] got {self.dtype}; need integers or bools.")
    return bitwise_not(self)  # type: ignore[no-any-return]


METHODS["__invert__"] = _invert
