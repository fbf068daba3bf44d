"""Owns the typed form of what only kernels have: arrays, loops, device functions.

Adds to `typed`; knows neither syntax nor targets.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from .typed import (
    Binary,
    Call,
    Constant,
    Convert,
    Expression,
    Invoke,
    Select,
    Statement,
    Variable,
)
from .types import Type

__all__ = [
    "Address",
    "ArrayOf",
    "Break",
    "Continue",
    "Declare",
    "Do",
    "Extent",
    "Field",
    "For",
    "Intrinsic",
    "Item",
    "Pick",
    "Special",
    "Store",
    "Text",
    "While",
    "children",
    "has_effect",
    "is_nonnegative",
    "is_simple",
]


@dataclasses.dataclass(frozen=True, eq=False)
class Special(Expression):
    """A value that the device knows, by its text in CUDA C++: `threadIdx.x`."""

    text: str
    nonnegative: bool = True


@dataclasses.dataclass(frozen=True, eq=False)
class Text(Expression):
    """A string for a device function, such as printf's format."""

    text: str


@dataclasses.dataclass(frozen=True, eq=False)
class Intrinsic(Expression):
    """A call of a function of CUDA C++ or of our headers, its arguments converted.

    Attributes:
        function: Its name in CUDA C++.
        headers: Headers of the language that declare it.
        effect: Calling it twice, or not at all, would make a difference.
    """

    function: str
    arguments: tuple[Expression, ...]
    headers: tuple[str, ...] = ()
    effect: bool = False
    nonnegative: bool = False


@dataclasses.dataclass(frozen=True, eq=False)
class Field(Expression):
    """Item `index` (a constant) of a tuple that is a C++ struct."""

    base: Expression
    index: int


@dataclasses.dataclass(frozen=True, eq=False)
class Pick(Expression):
    """The item of a tuple at a position known only at run time; one type."""

    items: tuple[Expression, ...]
    index: Expression


@dataclasses.dataclass(frozen=True, eq=False)
class Extent(Expression):
    """`array.shape[dimension]` or, with `what` "strides", its stride in elements."""

    base: Expression
    dimension: int
    what: str = "shape"


@dataclasses.dataclass(frozen=True, eq=False)
class Item(Expression):
    """One element of an array; the indices count from zero and are integers."""

    base: Expression
    indices: tuple[Expression, ...]


@dataclasses.dataclass(frozen=True, eq=False)
class Address(Expression):
    """Where an element is, for atomics."""

    item: Item


@dataclasses.dataclass(frozen=True, eq=False)
class ArrayOf(Expression):
    """The same memory as another array: a view, or the same array as a struct.

    Attributes:
        base: The array.
        shape: Sizes; () for those of `base`.
        strides: In elements; () for those that its layout gives.
        start: Index of the first element in `base`; () for its first.
        rows: How many leading indices it fixes, if it does nothing else; else 0.
    """

    base: Expression
    shape: tuple[Expression, ...] = ()
    strides: tuple[Expression, ...] = ()
    start: tuple[Expression, ...] = ()
    rows: int = 0


@dataclasses.dataclass(frozen=True, eq=False)
class Store(Statement):
    """`item = value`, of the item's type."""

    item: Item
    value: Expression


@dataclasses.dataclass(frozen=True, eq=False)
class Do(Statement):
    """An expression for its effect."""

    value: Expression


@dataclasses.dataclass(frozen=True, eq=False)
class Declare(Statement):
    """An array: `space` is "shared", "local", "dynamic" or "const" (with `values`)."""

    variable: Variable
    space: str
    values: Any = None


@dataclasses.dataclass(frozen=True, eq=False)
class While(Statement):
    """`prelude` then `test` before each turn of `body`."""

    prelude: list[Statement]
    test: Expression
    body: list[Statement]


@dataclasses.dataclass(frozen=True, eq=False)
class For(Statement):
    """A counted loop; `step` may be known only at run time. Counts in its own scope."""

    counter: Variable
    start: Expression
    stop: Expression
    step: Expression
    body: list[Statement]


@dataclasses.dataclass(frozen=True, eq=False)
class Break(Statement):
    """Leaves the innermost loop."""


@dataclasses.dataclass(frozen=True, eq=False)
class Continue(Statement):
    """Goes to the next turn of the innermost loop."""


def is_simple(value: Expression) -> bool:
    """May `value` be computed twice, at no cost and with the same result?"""
    if isinstance(value, Convert):
        return is_simple(value.value)
    if isinstance(value, Field):
        return is_simple(value.base)
    if isinstance(value, Extent):
        return is_simple(value.base)
    return isinstance(value, (Constant, Variable, Special))


def is_nonnegative(value: Expression) -> bool:
    """Is `value` surely an integer of zero or more?"""
    match value:
        case Constant(value=number):
            return number >= 0
        case Variable() | Special() | Intrinsic() if isinstance(value.type, Type):
            known = value.nonnegative
            return known or (value.type.is_integer and not value.type.is_signed)
        case Extent(what="shape"):
            return True
        case Convert(type=to, value=inner) if inner.type.is_integer or (
            inner.type is Type.BOOL
        ):
            return to.size >= inner.type.size and is_nonnegative(inner)
        case Binary(operator="%", right=right) if value.type.is_integer:
            return is_nonnegative(right)
        case Binary(operator="&", left=left, right=right):
            return is_nonnegative(left) or is_nonnegative(right)
        case Binary(operator="-" | "**" | "<<"):
            return False
        case Binary(left=left, right=right) if value.type.is_integer:
            return is_nonnegative(left) and is_nonnegative(right)
        case Call(name="min", arguments=arguments):
            return all(map(is_nonnegative, arguments))
        case Call(name="max", arguments=arguments):
            return any(map(is_nonnegative, arguments))
        case Call(name="fabs"):
            return bool(value.type.is_integer)
        case Select(then=then, otherwise=otherwise):
            return is_nonnegative(then) and is_nonnegative(otherwise)
    return value.type is Type.BOOL or (
        isinstance(value.type, Type)
        and value.type.is_integer
        and not value.type.is_signed
    )


def children(value: Expression) -> list[Expression]:
    """List the expressions directly inside one; those of called functions are not."""
    found: list[Expression] = []
    for field in dataclasses.fields(value):
        inside = getattr(value, field.name)
        for each in inside if isinstance(inside, tuple) else (inside,):
            if isinstance(each, Expression):
                found.append(each)
    return found


def has_effect(value: Expression) -> bool:
    """Would computing `value` twice, or not at all, make a difference?"""
    if isinstance(value, Invoke) or (isinstance(value, Intrinsic) and value.effect):
        return True
    return any(map(has_effect, children(value)))
