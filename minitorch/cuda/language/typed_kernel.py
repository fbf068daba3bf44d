"""Typed form of what only kernels have: arrays, loops, device functions.

Adds to `typed`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, fields
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
    TupleValue,
    Variable,
)
from .types import Type


@dataclass(frozen=True)
class Access:
    """Subscript in the source, for the text of a finding.

    Attributes:
        line: Counted from the function's first line.
        array: The variable's name.
        text: The subscript as written: `a[i + 1]`.
        write: Is the element assigned?
        atomic: By an atomic function?
        indices: Text of the index for each dimension, "" for a slice; () where the
            indices are not checked.
    """

    line: int
    array: str
    text: str
    write: bool
    atomic: bool = False
    indices: tuple[str, ...] = ()


class Special(Expression):
    """Value that the device provides, as CUDA C++ text: `threadIdx.x`."""

    text: str
    nonnegative: bool = True


class Text(Expression):
    """String argument of a device function, such as printf's format."""

    text: str


class Intrinsic(Expression):
    """Call of a C++ function, its arguments converted.

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


class Field(Expression):
    """Item `index` (a constant) of a tuple that is a C++ struct."""

    base: Expression
    index: int


class Pick(Expression):
    """Item of a tuple at a run-time index; all items have one type."""

    items: tuple[Expression, ...]
    index: Expression


class Extent(Expression):
    """`array.shape[dimension]` or, with `what` "strides", its stride in elements."""

    base: Expression
    dimension: int
    what: str = "shape"


class Item(Expression):
    """Element of an array; the indices are integers, counted from zero."""

    base: Expression
    indices: tuple[Expression, ...]


class Checked(Expression):
    """Index that must be at least 0 and below the extent of its dimension.

    It is its value; a build that checks indices looks at it first (`emit.indices`).

    Attributes:
        value: The index, from the end counted to one from the start.
        extent: The size of the dimension.
        base: The array that is indexed.
        access: The subscript.
        dimension: Which of the array's, from 0.
    """

    value: Expression
    extent: Expression
    base: Expression
    access: Access
    dimension: int


class Address(Expression):
    """Address of an element, for atomics."""

    item: Item


class ArrayOf(Expression):
    """View of another array, or the same array as a struct.

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


class Store(Statement):
    """`item = value`, of the item's type."""

    item: Item
    value: Expression


class Do(Statement):
    """Expression statement, evaluated for its effect."""

    value: Expression


class Declare(Statement):
    """Declaration of an array in a kernel.

    Its `space` is "shared", "local", "dynamic" (shared, with a size that the launch
    gives) or "const", which alone has `values`.
    """

    variable: Variable
    space: str
    values: Any = None


class While(Statement):
    """Loop: `prelude` then `test` before each iteration of `body`."""

    prelude: list[Statement]
    test: Expression
    body: list[Statement]


class For(Statement):
    """Counted loop; `step` may be a run-time value. The counter is local."""

    counter: Variable
    start: Expression
    stop: Expression
    step: Expression
    body: list[Statement]


class Break(Statement):
    """Exit from the innermost loop."""


class Continue(Statement):
    """Jump to the next iteration of the innermost loop."""


def tuple_items(value: Expression) -> tuple[Expression, ...]:
    """Return the items of a tuple as separate expressions."""
    if isinstance(value, TupleValue):
        return value.items
    types = value.type.items
    return tuple(Field(type_, value, index) for index, type_ in enumerate(types))


def is_simple(value: Expression) -> bool:
    """Return whether evaluating `value` twice costs nothing and gives the same."""
    if isinstance(value, (Convert, Checked)):
        return is_simple(value.value)
    if isinstance(value, Field):
        return is_simple(value.base)
    if isinstance(value, Extent):
        return is_simple(value.base)
    return isinstance(value, (Constant, Variable, Special))


def is_nonnegative(value: Expression) -> bool:
    """Return whether `value` is certainly an integer >= 0."""
    least = _least(value)
    return least is not None and least >= 0


def _least(value: Expression) -> int | None:
    """Return a lower bound of an integer, or None."""
    if not isinstance(value.type, Type) or value.type.is_float:
        return None
    unsigned = 0 if not value.type.is_signed and not value.type.is_complex else None
    match value:
        case Constant(value=number) if not value.type.is_complex:
            return int(number)
        case Variable(known=int(number)):
            return number
        case Variable() | Special() | Intrinsic():
            return 0 if value.nonnegative else unsigned
        case Extent(what="shape"):
            return 0
        case Checked(value=inner):
            return _least(inner)
        case Convert(type=to, value=inner):
            integer = inner.type.is_integer or inner.type is Type.BOOL
            return _least(inner) if integer and to.size >= inner.type.size else unsigned
        case Binary(operator="+", left=left, right=right):
            return _sum(_least(left), _least(right))
        case Binary(operator="-", left=left, right=Constant(value=number)):
            return _sum(_least(left), -int(number))
        case Binary(operator="%", right=right):
            return 0 if is_nonnegative(right) else unsigned
        case Binary(operator="&", left=left, right=right):
            either = is_nonnegative(left) or is_nonnegative(right)
            return 0 if either else unsigned
        case Binary(operator="*" | "//" | ">>" | "|" | "^", left=left, right=right):
            both = is_nonnegative(left) and is_nonnegative(right)
            return 0 if both else unsigned
        case Select(then=then, otherwise=otherwise):
            return _lower(_least(then), _least(otherwise))
        case Call(name="min", arguments=(first, second)):
            return _lower(_least(first), _least(second))
        case Call(name="max", arguments=arguments):
            return 0 if any(map(is_nonnegative, arguments)) else unsigned
        case Call(name="fabs"):
            return 0
    return unsigned


def _sum(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a + b


def _lower(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else min(a, b)


def children(part: Expression | Statement) -> list[Any]:
    """Return the expressions and statements directly inside one of them.

    Those of called functions are not.
    """
    result: list[Any] = []
    kind: Any = type(part)
    for name in _fields(kind):
        inside = getattr(part, name)
        for child in inside if isinstance(inside, (list, tuple)) else (inside,):
            if isinstance(child, (Expression, Statement)):
                result.append(child)
    return result


@functools.cache
def _fields(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def walk(*parts: Expression | Statement) -> Iterator[Any]:
    """Yield parts and all that is inside them, each once, in the order of the text.

    What is in called functions is not.
    """
    seen: set[int] = set()
    waiting: list[Any] = [*reversed(parts)]
    while waiting:
        part = waiting.pop()
        if id(part) not in seen:
            seen.add(id(part))
            yield part
            waiting += reversed(children(part))


def reads_memory(value: Expression) -> bool:
    """Return whether `value` reads an array element, itself or in a called function."""
    return any(isinstance(part, (Item, Invoke)) for part in walk(value))


def has_effect(*parts: Expression | Statement) -> bool:
    """Return whether parts write memory or synchronize: they may run only once."""
    return any(
        isinstance(part, (Store, Do))
        or (isinstance(part, Intrinsic) and part.effect)
        or (isinstance(part, Invoke) and has_effect(*part.function.body))
        for part in walk(*parts)
    )
