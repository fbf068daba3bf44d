"""Owns what variables are called: one name for each that the learner sees as one.

Must not know where variables lie.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .debug_variables import Number


class Names:
    """One name for each variable, however many places of the code declare it.

    Attributes:
        names, dtypes, lines: Of the names.
        numbers: For each given variable the number of its name.
    """

    def __init__(
        self, variables: Sequence[Number], original: Callable[[str, int], int]
    ) -> None:
        self.names: list[str] = []
        self.dtypes: list[np.dtype[Any]] = []
        self.lines: list[int] = []
        self.numbers: list[int] = []
        self._members: list[list[Number]] = []
        for each in variables:
            self.numbers.append(self._number(each, original(each.file, each.line)))

    def _number(self, each: Number, line: int) -> int:
        for number, members in enumerate(self._members):
            if all(_go_together(each, other) for other in members):
                members.append(each)
                return number
        hides = any(
            each.name == other.name and not _is_one(each, other)
            for members in self._members
            for other in members
        )
        where = f"in {each.owner.removeprefix('py_')}" if each.owner else f"line {line}"
        self.names.append(f"{each.name} ({where})" if hides else each.name)
        self.dtypes.append(each.dtype)
        self.lines.append(line)
        self._members.append([each])
        return len(self.names) - 1


def _is_one(one: Number, other: Number) -> bool:
    """Are these one variable to the learner, perhaps of two types?

    In Python a function has one of a name. In C++ scopes that are apart may have one
    each, which nobody tells apart either.
    """
    if one.name != other.name or one.file != other.file:
        return False
    if one.python:
        return True
    apart = one.scope[1] <= other.scope[0] or other.scope[1] <= one.scope[0]
    return one.owner == other.owner and (apart or one.declaration == other.declaration)


def _go_together(one: Number, other: Number) -> bool:
    return _is_one(one, other) and one.dtype == other.dtype
