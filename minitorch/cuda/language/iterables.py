"""Iterables of for loops, as typed values."""

from __future__ import annotations

import ast
from collections.abc import Callable

from .array_views import (
    array_shape,
    int64,
    item_of,
    picked,
    slice_length,
    unlike,
    view_of,
)
from .scope import Scope
from .typed import (
    STATIC,
    Binary,
    Constant,
    Expression,
    Intrinsic,
    Node,
    Static,
    TupleValue,
    convert,
    tuple_items,
)
from .types import ArrayType, TupleType, Type


class Range(Node):
    """Start, stop and step of the counter, of one integer type."""

    start: Expression
    stop: Expression
    step: Expression


class Iterable(Expression):
    """Counter, and an item for each of its values.

    Attributes:
        range_: What the counter runs over.
        item: Gives the item of a counter.
        counts: Is the item the counter itself?
    """

    range_: Range
    item: Callable[[Expression], Expression]
    counts: bool = False

    @classmethod
    def counting(cls, range_: Range) -> Iterable:
        """Return the iterable of `range(start, stop, step)`."""
        return cls(STATIC, range_, lambda counter: counter, True)

    @classmethod
    def over(
        cls, length: Expression, item: Callable[[Expression], Expression]
    ) -> Iterable:
        """Return an iterable of `length` items, computed from their index."""
        zero, one = Constant(Type.INT64, 0), Constant(Type.INT64, 1)
        return cls(STATIC, Range(zero, length, one), item)

    def numbered(self) -> Iterable:
        """Return the same items, indexed from 0."""
        if not self.counts:
            return self
        start, step = self.range_.start, self.range_.step

        def item(counter: Expression) -> Expression:
            offset = Binary(Type.INT64, "*", counter, convert(step, Type.INT64))
            return Binary(Type.INT64, "+", convert(start, Type.INT64), offset)

        bounds = (start, self.range_.stop, step)
        length = slice_length(*(convert(bound, Type.INT64) for bound in bounds))
        return Iterable.over(length, item)


def enumerated(items: Iterable, start: Expression) -> Iterable:
    """Return the iterable of `enumerate(items, start)`."""
    by_number = items.numbered()

    def item(counter: Expression) -> Expression:
        number = counter
        if not (isinstance(start, Constant) and start.value == 0):
            number = Binary(Type.INT64, "+", counter, start)
        return TupleValue.of((number, by_number.item(counter)))

    return Iterable.over(by_number.range_.stop, item)


def zipped(parts: list[Iterable]) -> Iterable:
    """Return the iterable of `zip(a, b, ...)`: as long as the shortest."""
    by_number = [part.numbered() for part in parts]
    length = by_number[0].range_.stop
    for part in by_number[1:]:
        pair = length, part.range_.stop
        length = Intrinsic(
            Type.INT64, "shorter", pair, ("array.cuh",), nonnegative=True
        )

    def item(counter: Expression) -> Expression:
        return TupleValue.of(tuple(part.item(counter) for part in by_number))

    return Iterable.over(length, item)


def iterable_of(scope: Scope, node: ast.AST, value: Expression) -> Iterable:
    """Return a range, array or tuple as an iterable; `node` is for errors."""
    if isinstance(value, Iterable):
        return value
    if isinstance(value.type, TupleType):
        return _over_items(scope, node, value)
    if isinstance(value.type, ArrayType) and value.type.ndim:
        size = array_shape(value)[0]
        if value.type.ndim == 1:
            return Iterable.over(size, lambda k: item_of(value, (k,)))
        return Iterable.over(size, lambda k: view_of(value, [k]))
    if isinstance(value, Static) and isinstance(value.value, (list, dict, set)):
        raise scope.error(
            node,
            f"cannot loop over a {type(value.value).__name__} in a kernel; use "
            "range(...), an array or a tuple.",
        )
    hint = f"Did you mean range({ast.unparse(node)})?"
    raise scope.error(
        node,
        f"cannot loop over {ast.unparse(node)}; need range(...), an array, a tuple, "
        "enumerate or zip. " + (hint if isinstance(value.type, Type) else ""),
    )


def _over_items(scope: Scope, node: ast.AST, value: Expression) -> Iterable:
    items = tuple_items(value)
    if picked(items, int64(0)) is None:
        mixed = {entry.type.is_float for entry in items if isinstance(entry.type, Type)}
        raise scope.error(
            node,
            f"cannot loop over {unlike(value)}; all items must be of one type."
            + " Write 1.0 for 1." * (len(mixed) == 2),
        )
    return Iterable.over(int64(len(items)), lambda k: picked(items, k) or k)
