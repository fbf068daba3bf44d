"""Owns the typing of `print`: the format of each value, as Numba's."""

from __future__ import annotations

import builtins

from .device_calls import CallSite, python_function
from .outside import describe
from .typed import Expression, Select, Static, convert
from .typed_kernel import Intrinsic, Text
from .types import ArrayType, TupleType, Type

__all__: list[str] = []

_MOST_VALUES = 32


@python_function(builtins.print)
def _print(site: CallSite) -> Expression:
    separator = _text(site, "sep", " ")
    end = _text(site, "end", "\n")
    for name in site.keywords:
        if name not in ("sep", "end"):
            raise site.error(f"got {name}= for print; need only sep= and end=.")
    formats: list[str] = []
    values: list[Expression] = []
    for index, value in enumerate(site.arguments):
        formats.append(_format(site, value, index, values))
    if len(values) > _MOST_VALUES:
        raise site.error(
            f"got {len(values)} values for one print; need at most {_MOST_VALUES}. "
            "Print them in two lines."
        )
    text = separator.replace("%", "%%").join(formats) + end.replace("%", "%%")
    return Intrinsic(None, "printf", (Text(None, text), *values), effect=True)


def _text(site: CallSite, name: str, default: str) -> str:
    value = site.keywords.get(name)
    if value is None:
        return default
    if isinstance(value, Static) and isinstance(value.value, str):
        return value.value
    raise site.error(f"got {name}= that is no constant string for print; need one.")


def _format(
    site: CallSite, value: Expression, index: int, values: list[Expression]
) -> str:
    """Give printf's format for a value, and add what it prints to `values`."""
    if isinstance(value, Static):
        if isinstance(value.value, str):
            return value.value.replace("%", "%%")
        if value.value is None:
            return "None"
        raise site.error(
            f"got {describe(value.value)} for print; need numbers and strings.", index
        )
    if isinstance(value.type, TupleType):
        items = site.typing.tuple_items(value)
        inner = [_format(site, each, index, values) for each in items]
        return f"({', '.join(inner)}{',' * (len(inner) == 1)})"
    if isinstance(value.type, ArrayType):
        raise site.error(
            f"got {value.type}, a whole array, for print; need one element: index it.",
            index,
        )
    return _number(site.typing.scalar(site.place(index), value), values)


def _number(value: Expression, values: list[Expression]) -> str:
    type_: Type = value.type
    if type_ is Type.BOOL:
        values.append(Select(None, value, Text(None, "True"), Text(None, "False")))
        return "%s"
    if type_.is_complex:
        small = Type.FLOAT32 if type_ is Type.COMPLEX64 else Type.FLOAT64
        for part in ("real_part", "imag_part"):
            each = Intrinsic(small, part, (value,), ("complex.cuh",))
            values.append(convert(each, Type.FLOAT64))
        return "(%f%+fj)"
    if type_.is_float:
        values.append(convert(value, Type.FLOAT64))
        return "%f"
    if type_.is_integer and not type_.is_signed:
        values.append(convert(value, Type.UINT64))
        return "%llu"
    values.append(convert(value, Type.INT64))
    return "%lld"
