"""Formulas: what a picture computes from its state, alike in Python and on a page.

A formula is written once, with Python's operators. `value_of` computes it for the still
picture; the page computes what `spelled` says, by `assets/formula.js`. For states of
which there are too many for a table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .drawing import number
from .paths import bars, planes, tiles


class Formula:
    """Something to be computed from the state.

    Attributes:
        spelled: As JSON: a number, a text, or [operation, part, ...].

    Example:
        >>> block = row("block")
        >>> value_of(text("wave ", block // 80 + 1), {"block": 100})
        'wave 2'
    """

    def __init__(self, spelled: Any) -> None:
        self.spelled = spelled

    def __add__(self, other: Any) -> Formula:
        return _operation("+", self, other)

    def __sub__(self, other: Any) -> Formula:
        return _operation("-", self, other)

    def __rsub__(self, other: Any) -> Formula:
        return _operation("-", other, self)

    def __mul__(self, other: Any) -> Formula:
        return _operation("*", self, other)

    def __floordiv__(self, other: Any) -> Formula:
        return _operation("//", self, other)

    def __mod__(self, other: Any) -> Formula:
        return _operation("%", self, other)

    def __truediv__(self, other: Any) -> Formula:
        return _operation("/", self, other)

    def __lt__(self, other: Any) -> Formula:
        return _operation("<", self, other)


def _spelled(value: Any) -> Any:
    if isinstance(value, Formula):
        return value.spelled
    if isinstance(value, list | tuple):
        return ["list", *map(_spelled, value)]
    return value


def _operation(name: str, *parts: Any) -> Formula:
    return Formula([name, *map(_spelled, parts)])


def row(axis: str) -> Formula:
    """Which row of an axis the state is at."""
    return Formula(["row", axis])


def column(name: str) -> Formula:
    """A list of values that the figure has beside its tables."""
    return Formula(["column", name])


# Where the pointer is, and the number at the end of the name of what it is at.
PART = Formula(["part"])
POINTER_X, POINTER_Y = Formula(["x"]), Formula(["y"])


def same(one: Any, other: Any) -> Formula:
    """Whether two values are equal."""
    return _operation("=", one, other)


def chosen(test: Any, yes: Any, no: Any) -> Formula:
    """One of two values; only that one is computed."""
    return _operation("if", test, yes, no)


def item(values: Any, place: Any) -> Formula:
    """One of a list of values; none where there is no such place."""
    return _operation("item", values, place)


def first(count: Any, values: Any) -> Formula:
    """So many of a list of values."""
    return _operation("first", count, values)


def cut(words: Any, start: Any, count: Any) -> Formula:
    """A part of a text: so many letters from a place on."""
    return _operation("cut", words, start, count)


def find(values: Any, value: Any) -> Formula:
    """The first place of a value in a list, or -1."""
    return _operation("find", values, value)


def largest(*values: Any) -> Formula:
    """The largest of some values."""
    return _operation("max", *values)


def path_of(shape: str, *parts: Any) -> Formula:
    """A path of many marks: "tiles", "bars" or "planes", as `paths` draws them."""
    return _operation(shape, *parts)


def text(*parts: Any) -> Formula:
    """Texts and whole numbers as one text."""
    return _operation("text", *parts)


def in_words(value: Any) -> Formula:
    """A whole number with commas."""
    return _operation("number", value)


def _item(values: Sequence[Any], place: float) -> Any:
    return values[int(place)] if place in range(len(values)) else None


_OPERATIONS: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "/": lambda a, b: a / b,
    "max": max,
    "<": lambda a, b: a < b,
    "=": lambda a, b: a == b,
    "list": lambda *values: list(values),
    "item": _item,
    "first": lambda count, values: values[:count],
    "cut": lambda words, start, count: words[start : start + count],
    "find": lambda values, value: values.index(value) if value in values else -1,
    "text": lambda *parts: "".join(map(str, parts)),
    "number": lambda value: number(int(value)),
    "tiles": tiles,
    "bars": bars,
    "planes": planes,
}


def value_of(
    formula: Formula,
    given: Mapping[str, float],
    columns: Mapping[str, Any] | None = None,
) -> Any:
    """Compute a formula.

    Args:
        formula: What to compute.
        given: The row of each axis; "x", "y" and "part" of the pointer.
        columns: The lists that it names.
    """
    return _value(formula.spelled, {**(columns or {}), **given})


def _value(spelled: Any, given: Mapping[str, Any]) -> Any:
    if not isinstance(spelled, list):
        return spelled
    name, *parts = spelled
    if name == "if":
        return _value(parts[1 if _value(parts[0], given) else 2], given)
    if name in ("row", "column"):
        return given[parts[0]]
    if name in ("x", "y", "part"):
        return given[name]
    return _OPERATIONS[name](*(_value(each, given) for each in parts))
