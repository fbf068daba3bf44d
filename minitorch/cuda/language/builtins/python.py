"""Typing of Python's builtins: len, range, enumerate, zip, divmod, print."""

from __future__ import annotations

import ast
import builtins

from ..advice import describe
from ..array_views import array_shape, int64
from ..iterables import Iterable, Range, enumerated, iterable_of, zipped
from ..operators import binary
from ..typed import (
    Constant,
    Expression,
    Intrinsic,
    Select,
    Static,
    Text,
    TupleValue,
    convert,
    is_host_array,
    tuple_items,
)
from ..types import ArrayType, TupleType, Type
from .arrays import host_array
from .calls import CallSite, python_function

_SMALL = (Type.INT8, Type.INT16, Type.INT32)
_MOST_VALUES = 32


@python_function(builtins.len)
def _len(site: CallSite) -> Expression:
    (value,) = site.bind("value")
    if isinstance(value.type, TupleType):
        return int64(len(value.type.items))
    if isinstance(value.type, ArrayType) and value.type.ndim:
        return array_shape(value)[0]
    if is_host_array(value) and value.value.ndim:
        return int64(len(value.value))
    got = describe(value.value) if isinstance(value, Static) else str(value.type)
    raise site.error(f"len() needs an array or a tuple, got {got}.", 0)


@python_function(builtins.range)
def _range(site: CallSite) -> Expression:
    count = len(site.arguments)
    if not 1 <= count <= 3 or site.keywords:
        raise site.error(f"range takes 1 to 3 arguments, got {count}.")
    numbers = [
        site.scope.scalar(site.place(index), number)
        for index, number in enumerate(site.arguments)
    ]
    for index, number in enumerate(numbers):
        if not number.type.is_integer:
            raise site.error(
                f"range needs integers, got {number.type}. Use // instead of /, or "
                "int(...).",
                index,
            )
    small = all(number.type in _SMALL for number in numbers)
    unsigned = all(
        not number.type.is_signed
        or (isinstance(number, Constant) and number.value >= 0)
        for number in numbers
    ) and any(not number.type.is_signed for number in numbers)
    type_ = Type.UINT64 if unsigned else Type.INT32 if small else Type.INT64
    numbers = [convert(number, type_) for number in numbers]
    zero, one = Constant(type_, 0), Constant(type_, 1)
    match numbers:
        case [stop]:
            return Iterable.counting(Range(zero, stop, one))
        case [start, stop]:
            return Iterable.counting(Range(start, stop, one))
    start, stop, step = numbers
    if isinstance(step, Constant) and step.value == 0:
        raise site.error("the step of range must not be 0.", 2)
    return Iterable.counting(Range(start, stop, step))


@python_function(builtins.enumerate)
def _enumerate(site: CallSite) -> Expression:
    items, start = site.bind("iterable", start=int64(0))
    first = site.number(start, 1, Type.INT64)
    node = site.place(0)
    over = iterable_of(site.scope, node, host_array(site.scope, node, items))
    return enumerated(over, site.scope.hold(site.node, first))


@python_function(builtins.zip)
def _zip(site: CallSite) -> Expression:
    if not site.arguments or site.keywords:
        raise site.error("zip needs at least one argument.")
    nodes = [site.place(index) for index in range(len(site.arguments))]
    parts = [
        iterable_of(site.scope, node, host_array(site.scope, node, argument))
        for node, argument in zip(nodes, site.arguments, strict=True)
    ]
    return zipped(parts)


@python_function(builtins.tuple)
def _tuple(site: CallSite) -> Expression:
    (value,) = site.bind("value")
    if not isinstance(value.type, TupleType):
        raise site.error(f"tuple() needs a tuple, got {value.type}.", 0)
    return TupleValue.of(tuple_items(value))


@python_function(builtins.divmod)
def _divmod(site: CallSite) -> Expression:
    left, right = site.bind("a", "b")
    scope, node = site.scope, site.node
    a, b = (scope.hold(node, scope.scalar(node, x)) for x in (left, right))
    operators = ast.FloorDiv(), ast.Mod()
    return TupleValue.of(tuple(binary(scope, node, op, a, b) for op in operators))


@python_function(builtins.print)
def _print(site: CallSite) -> Expression:
    separator = _text(site, "sep", " ")
    end = _text(site, "end", "\n")
    for name in site.keywords:
        if name not in ("sep", "end"):
            raise site.error(
                f"print has no keyword {name}= in a kernel; it supports sep= and end=."
            )
    formats: list[str] = []
    values: list[Expression] = []
    for index, value in enumerate(site.arguments):
        formats.append(_format(site, value, index, values))
    if len(values) > _MOST_VALUES:
        raise site.error(
            f"one print supports at most {_MOST_VALUES} values, got {len(values)}. "
            "Split it into two."
        )
    text = separator.replace("%", "%%").join(formats) + end.replace("%", "%%")
    return Intrinsic(None, "printf", (Text(None, text), *values), effect=True)


def _text(site: CallSite, name: str, default: str) -> str:
    value = site.keywords.get(name)
    if value is None:
        return default
    if isinstance(value, Static) and isinstance(value.value, str):
        return value.value
    raise site.error(f"{name}= of print must be a string constant.")


def _format(
    site: CallSite, value: Expression, index: int, values: list[Expression]
) -> str:
    """Return printf's format for a value; append the values to print to `values`."""
    if isinstance(value, Static):
        if isinstance(value.value, str):
            return value.value.replace("%", "%%")
        if value.value is None:
            return "None"
        raise site.error(
            f"print supports numbers and strings, got {describe(value.value)}.", index
        )
    if isinstance(value.type, TupleType):
        items = tuple_items(value)
        inner = [_format(site, entry, index, values) for entry in items]
        return f"({', '.join(inner)}{',' * (len(inner) == 1)})"
    if isinstance(value.type, ArrayType):
        raise site.error(
            f"print needs single elements, got {value.type}. Index the array.",
            index,
        )
    return _number(site.scope.scalar(site.place(index), value), values)


def _number(value: Expression, values: list[Expression]) -> str:
    type_: Type = value.type
    if type_ is Type.BOOL:
        values.append(Select(None, value, Text(None, "True"), Text(None, "False")))
        return "%s"
    if type_.is_complex:
        for part in ("real_part", "imag_part"):
            component = Intrinsic(type_.part, part, (value,), ("complex.cuh",))
            values.append(convert(component, Type.FLOAT64))
        return "(%f%+fj)"
    if type_.is_float:
        values.append(convert(value, Type.FLOAT64))
        return "%f"
    if type_.is_integer and not type_.is_signed:
        values.append(convert(value, Type.UINT64))
        return "%llu"
    values.append(convert(value, Type.INT64))
    return "%lld"
