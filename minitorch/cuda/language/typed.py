"""Typed form of scalar code.

Every conversion is explicit. A node may be shared, so targets that name values should
compute each node once. What only kernels have (arrays, loops) is in `typed_kernel`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeGuard, dataclass_transform

import numpy as np

from .types import KernelType, TupleType, Type


class _StaticType:
    """Type of values that exist only at compile time."""

    cuda = "void"
    is_float = is_integer = is_complex = is_signed = False

    def __str__(self) -> str:
        return "object"


STATIC = _StaticType()


@dataclass_transform(frozen_default=True, eq_default=False)
class Node:
    """Part of the typed form: every subclass is a frozen dataclass."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, eq=False)(cls)


class Expression(Node):
    """Expression of one type.

    The type is a scalar wherever code computes; `Scope.scalar` sees to it.
    """

    type: Any


class Static(Expression):
    """Python object that exists only at compile time: a module, function or dtype."""

    value: Any

    @classmethod
    def of(cls, value: object) -> Static:
        """Wrap a Python object."""
        return cls(STATIC, value)


def is_host_array(value: Expression) -> TypeGuard[Static]:
    """Return whether the value is a NumPy array from outside the kernel."""
    return isinstance(value, Static) and hasattr(value.value, "__array_interface__")


class TupleValue(Expression):
    """Tuple whose items are separate expressions."""

    items: tuple[Expression, ...]

    @classmethod
    def of(
        cls, items: tuple[Expression, ...], names: tuple[str, ...] = ()
    ) -> TupleValue:
        """Return a tuple; its type follows from the items."""
        return cls(TupleType(tuple(element.type for element in items), names), items)


class Constant(Expression):
    """Literal or captured number."""

    value: bool | int | float


class Variable(Expression):
    """Parameter or local variable; `name` is unique in its function.

    Where it is read, `known` is its value if that is a constant there, and
    `nonnegative` tells that it cannot be below zero.
    """

    name: str
    known: bool | int | float | None = None
    nonnegative: bool = False


class Convert(Expression):
    """Conversion of `value` to another type; to an integer, truncation toward zero."""

    value: Expression


class Unary(Expression):
    """`-x` (same type) or `not x` (bool)."""

    operator: str
    operand: Expression


class Binary(Expression):
    """`+ - * / // % **` with Python's meaning; operands have the result's type.

    The exception is `**`, whose exponent may be an int64 constant beside a float base.
    """

    operator: str
    left: Expression
    right: Expression


class Compare(Expression):
    """`< <= > >= == !=` on operands of one type."""

    operator: str
    left: Expression
    right: Expression


class Logical(Expression):
    """`and` or `or` of two bools."""

    operator: str
    left: Expression
    right: Expression


class Select(Expression):
    """`then` where `test`, else `otherwise`."""

    test: Expression
    then: Expression
    otherwise: Expression


class Call(Expression):
    """Call of a function that every target has, by its name in `math` or builtins.

    The arguments have one type, which is the result's unless that is bool.
    """

    name: str
    arguments: tuple[Expression, ...]


class Invoke(Expression):
    """Call of another translated function."""

    function: TypedFunction
    arguments: tuple[Expression, ...]


class Statement(Node):
    """Statement, with its line counted from the function's first line."""

    line: int


class Assign(Statement):
    """Assignment `target = value`, of one type."""

    target: Variable
    value: Expression


class If(Statement):
    """Branch on a bool."""

    test: Expression
    then: list[Statement]
    otherwise: list[Statement]


class Return(Statement):
    """Return from the function; the value (None in a kernel) has the result's type."""

    value: Expression | None


class TypedFunction(Node):
    """Function specialized for its parameters' types.

    Where it has a result, every path ends in a Return. `result` None: it gives nothing.
    `zeroed` names variables that some path reads without a value: they start as 0.
    `arrays` are its declared arrays.
    """

    name: str
    pseudo_file: str
    parameters: tuple[Variable, ...]
    result: KernelType | None
    body: list[Statement]
    zeroed: frozenset[str] = frozenset()
    arrays: tuple[Any, ...] = ()


# Integers that C++ spells in the type by a suffix, or without one.
_RANGES = {
    Type.INT32: range(1 - 2**31, 2**31),
    Type.UINT32: range(2**32),
    Type.UINT64: range(2**64),
}


def convert(value: Expression, to: Type) -> Expression:
    """Convert `value` to the type `to`; constants are folded."""
    if value.type is to:
        return value
    if isinstance(value, Constant) and to is Type.FLOAT64 and not value.type.is_complex:
        return Constant(to, float(value.value))
    if isinstance(value, Constant) and value.type in (Type.BOOL, Type.INT64):
        exact = int(value.value)
        if to is Type.INT64 or (to is Type.FLOAT32 and abs(exact) <= 2**24):
            return Constant(to, exact)
        if exact in _RANGES.get(to, ()):
            return Constant(to, exact)
    if to is Type.FLOAT32 and isinstance(value, Select):
        return _narrowed(value) or Convert(to, value)
    return Convert(to, value)


def _narrowed(value: Expression) -> Expression | None:
    """Return a float64 selection as float32 if that is exact, else None."""
    if isinstance(value, Convert) and value.value.type is Type.FLOAT32:
        return value.value
    if isinstance(value, Constant) and abs(value.value) < 1e38:
        exact = float(np.float32(value.value)) == value.value
        return Constant(Type.FLOAT32, value.value) if exact else None
    if not isinstance(value, Select):
        return None
    then, otherwise = _narrowed(value.then), _narrowed(value.otherwise)
    if then is None or otherwise is None:
        return None
    return Select(Type.FLOAT32, value.test, then, otherwise)


def as_bool(value: Expression) -> Expression:
    """Return whether a number is nonzero, as an expression; NaN is true."""
    if value.type is Type.BOOL:
        return value
    zero = Constant(value.type, 0.0 if value.type.is_float else 0)
    return Compare(Type.BOOL, "!=", value, zero)


def as_float(value: Expression) -> Expression:
    """Convert a real number to float; an integer becomes float64."""
    return value if value.type.is_float else convert(value, Type.FLOAT64)


#: Largest exponent literal that is computed by multiplying; beyond it pow is closer.
MAX_MULTIPLIED_POWER = 8


def power_exponent(exponent: Expression, base: Type) -> Expression:
    """Return the exponent of a float power in the form that all targets take.

    A small int64 constant stays one, for repeated multiplication; else it is a float.
    """
    if isinstance(exponent, Constant) and exponent.type is Type.INT64:
        if abs(exponent.value) <= MAX_MULTIPLIED_POWER:
            return exponent
        return Constant(base, float(exponent.value))
    return exponent
