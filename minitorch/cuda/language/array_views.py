"""Sizes, strides and views of arrays as typed expressions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from .advice import describe
from .typed import (
    Access,
    ArrayOf,
    Binary,
    Checked,
    Constant,
    Expression,
    Extent,
    Intrinsic,
    Item,
    Pick,
    Static,
    TupleValue,
    Variable,
    convert,
    is_nonnegative,
    tuple_items,
)
from .types import ArrayType, TupleType, Type

#: One dimension of a view: first index, step and number of elements left.
Slice = tuple[Expression, Expression, Expression]


def int64(value: int) -> Constant:
    """Return a constant of type int64, which indices and sizes have."""
    return Constant(Type.INT64, value)


def array_shape(array: Expression) -> tuple[Expression, ...]:
    """Return the sizes of an array: constants if its type has them."""
    if array.type.shape is not None:
        return tuple(map(int64, array.type.shape))
    if isinstance(array, ArrayOf):
        return array.shape or array_shape(array.base)
    return tuple(Extent(Type.INT64, array, axis) for axis in range(array.type.ndim))


def array_strides(array: Expression) -> tuple[Expression, ...]:
    """Return the strides of an array in elements."""
    type_: ArrayType = array.type
    if type_.layout == "A":
        if isinstance(array, ArrayOf):
            return array.strides or array_strides(array.base)
        every = range(type_.ndim)
        return tuple(Extent(Type.INT64, array, axis, "strides") for axis in every)
    shape = array_shape(array)
    ordered = shape if type_.layout == "F" else shape[::-1]
    strides: list[Expression] = [int64(1)]
    for size in ordered[:-1]:
        strides.append(times(strides[-1], size))
    strides = strides[: type_.ndim]
    return tuple(strides if type_.layout == "F" else strides[::-1])


def times(a: Expression, b: Expression) -> Expression:
    """Multiply two int64; fold constants."""
    if isinstance(a, Constant) and isinstance(b, Constant):
        return int64(int(a.value) * int(b.value))
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Constant) and one.value == 1:
            return other
    return Binary(Type.INT64, "*", a, b)


def slice_length(first: Expression, last: Expression, step: Expression) -> Expression:
    """Return how many elements a slice or range has."""
    bounds = first, last, step
    return Intrinsic(
        Type.INT64, "slice_length", bounds, ("array.cuh",), nonnegative=True
    )


def known_index(index: Expression) -> int | None:
    """Return the value of a constant index, else None."""
    if isinstance(index, Constant) and index.type.is_integer:
        return int(index.value)
    if isinstance(index, Variable) and index.known is not None:
        return int(index.known)
    return None


def wrapped(index: Expression, size: Expression) -> Expression:
    """Let a negative index count from the end, at no cost if it cannot be negative."""
    known = known_index(index)
    if known is not None and known < 0:
        if isinstance(size, Constant):
            return int64(int(size.value) + known)
        return Binary(Type.INT64, "-", size, int64(-known))
    if is_nonnegative(index):
        return index
    return Intrinsic(
        Type.INT64, "wrap", (convert(index, Type.INT64), size), ("array.cuh",)
    )


def checked(
    indices: Mapping[int, Expression], array: Expression, access: Access
) -> dict[int, Expression]:
    """Return `wrapped(index, size)` of indices, with bounds checks where needed.

    Args:
        indices: By dimension.
        array: What is indexed.
        access: The subscript.

    Returns:
        The same by dimension. Where all surely lie inside, nothing checks them.
    """
    shape = array_shape(array)
    values = {axis: wrapped(index, shape[axis]) for axis, index in indices.items()}
    if all(_surely_inside(value, shape[axis]) for axis, value in values.items()):
        return values
    return {
        axis: Checked(value.type, value, shape[axis], array, access, axis)
        for axis, value in values.items()
    }


def _surely_inside(index: Expression, size: Expression) -> bool:
    known = known_index(index)
    if known is None or not isinstance(size, Constant):
        return False
    return 0 <= known < int(size.value)


def item_of(array: Expression, indices: tuple[Expression, ...]) -> Item:
    """Return one element; of a row view, as an element of the whole array."""
    if isinstance(array, ArrayOf) and array.rows:
        return item_of(array.base, array.start[: array.rows] + indices)
    return Item(array.type.dtype, array, indices)


def view_of(array: Expression, parts: list[Expression | Slice]) -> ArrayOf:
    """Return part of an array, sharing its memory.

    Args:
        array: The array.
        parts: For its first dimensions an index, which drops it, or a slice.
    """
    type_: ArrayType = array.type
    shape, strides = array_shape(array), array_strides(array)
    start: list[Expression] = []
    left: list[tuple[Expression, Expression]] = []
    for dimension in range(type_.ndim):
        part = parts[dimension] if dimension < len(parts) else None
        if isinstance(part, Expression):
            start.append(part)
        elif part is None:
            start.append(int64(0))
            left.append((shape[dimension], strides[dimension]))
        else:
            first, step, length = part
            start.append(first)
            left.append((length, times(strides[dimension], step)))
    rows = all(isinstance(entry, Expression) for entry in parts)
    layout = "C" if rows and type_.layout == "C" else "A"
    result = ArrayType(type_.dtype, len(left), layout, None, type_.readonly)
    base = array
    if isinstance(array, ArrayOf) and array.rows:
        base = array.base
        start = [*array.start[: array.rows], *start]
    return ArrayOf(
        result,
        base,
        tuple(size for size, _ in left),
        tuple(stride for _, stride in left),
        tuple(start),
        len(start) - len(left) if rows else 0,
    )


def picked(items: tuple[Expression, ...], index: Expression) -> Expression | None:
    """Return the item of a tuple at a run-time position.

    Args:
        items: Numbers of one type; arrays of one dtype; or tuples of one length, from
            which each of their items is picked.
        index: From 0; it may be computed several times.

    Returns:
        The item; None where the items are not alike.
    """
    if not items:
        return int64(0)  # of a loop that has no turn
    first = items[0].type
    if any(type(entry.type) is not type(first) for entry in items):
        return None
    if isinstance(first, TupleType):
        shapes = {(len(entry.type.items), entry.type.names) for entry in items}
        columns = zip(*map(tuple_items, items), strict=False)
        parts = [picked(column, index) for column in columns]
        picks = tuple(entry for entry in parts if entry is not None)
        alike = len(shapes) == 1 and len(picks) == len(parts)
        return TupleValue.of(picks, first.names) if alike else None
    if isinstance(first, ArrayType):
        kinds = [entry.type for entry in items]
        if len({(entry.dtype, entry.ndim, entry.readonly) for entry in kinds}) > 1:
            return None
        layouts = {entry.type.layout for entry in items}
        layout = first.layout if len(layouts) == 1 else "A"
        first = replace(first, layout=layout, shape=None)
        return Pick(first, tuple(ArrayOf(first, entry) for entry in items), index)
    alike = isinstance(first, Type) and len({entry.type for entry in items}) == 1
    return Pick(first, items, index) if alike else None


def unlike(value: Expression) -> str:
    """Explain why no item of a tuple can be picked at run time."""
    for part in tuple_items(value):
        if isinstance(part, Static):
            return f"a tuple with {describe(part.value)}"
    return f"{value.type}, whose items have different types"
