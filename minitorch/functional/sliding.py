"""Owns how kernel sizes, strides and paddings are given: a number, or one a dimension.

Must not know what slides.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

Sizes = int | Sequence[int]


def one(value: Any, name: str, where: str) -> int:
    """The integer in `value`, which may stand in a sequence of one."""
    (found,) = several(value, 1, name, where)
    return found


def pair(value: Any, name: str, where: str) -> tuple[int, int]:
    """(rows, columns) from one number for both, or from two."""
    rows, columns = several(value, 2, name, where)
    return rows, columns


def several(value: Any, count: int, name: str, where: str) -> tuple[int, ...]:
    """`count` integers from one number or from a sequence of that length."""
    values = tuple(value) if isinstance(value, Sequence) else (value,) * count
    try:
        numbers = tuple(operator.index(v) for v in values)
    except TypeError:
        numbers = ()
    if len(numbers) != count or isinstance(value, str):
        raise TypeError(
            f"[{where}] got {name} {value!r}; need an integer"
            + (f" or {count} of them." if count > 1 else ".")
        )
    return numbers
