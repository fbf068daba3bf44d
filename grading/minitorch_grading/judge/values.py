"""Compare results with expected values.

A `Difference` has two texts: one that tells nothing of inputs or values, for hidden
rows, and one with both, for public rows and staff.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

# Relative and absolute tolerance by the width of a float.
_TOLERANCE = {2: (2e-2, 2e-3), 4: (1e-4, 1e-5), 8: (1e-7, 1e-9)}
# Kinds of NumPy that may stand for another one.
_MAY_STAND = {"f": "fiu", "i": "iu", "u": "iu"}
_SHOWN = 160  # characters of a value in a message


@dataclass(frozen=True)
class Difference:
    """Why values are wrong: `plain` for hidden rows, `details` with the values."""

    plain: str
    details: str


@dataclass(frozen=True)
class Poisoned:
    """An output that the judge hands to a kernel: nothing was ever written to it.

    The emulator sees its bytes as unwritten; a pattern fills them, so that a cell that
    a kernel leaves out cannot be right by chance.
    """

    shape: tuple[int, ...]
    dtype: str

    @property
    def nbytes(self) -> int:
        return math.prod(self.shape) * np.dtype(self.dtype).itemsize


def poisoned(shape: int | Sequence[int], dtype: Any = "float64") -> Poisoned:
    """Return an uninitialized output for a kernel.

    Args:
        shape: Its size, or its shape.
        dtype: Of NumPy: booleans, integers or floats.

    Raises:
        TypeError: Another dtype.
        ValueError: A negative size.

    Example:
        >>> poisoned((4, 5), "float32")
        Poisoned(shape=(4, 5), dtype='float32')
    """
    sizes = (int(shape),) if isinstance(shape, int | np.integer) else tuple(shape)
    if any(int(size) < 0 for size in sizes):
        raise ValueError(f"[poisoned] got the shape {sizes}; need sizes of 0 or more.")
    kind = np.dtype(dtype)
    if kind.kind not in "biuf":
        raise TypeError(f"[poisoned] got {kind}; need booleans, integers or floats.")
    return Poisoned(tuple(int(size) for size in sizes), kind.name)


def format_value(value: Any, size: int = _SHOWN) -> str:
    """Format a value in a few characters, for messages of public rows and staff.

    Example:
        >>> format_value(np.arange(3.0))
        'array([0., 1., 2.])'
    """
    if isinstance(value, Poisoned):
        return f"poisoned({value.shape}, {value.dtype!r})"
    with np.printoptions(threshold=12, edgeitems=3, precision=6, linewidth=120):
        text = " ".join(repr(value).split())
    return text if len(text) <= size else f"{text[: size - 4]} ..."


def difference(
    got: Any, expected: Any, rtol: float | None = None, atol: float | None = None
) -> Difference | None:
    """Compare a value with the expected one; return None if it is right.

    Numbers and arrays have to have the shape, be of the kind (truth values, whole
    numbers, floats: a whole number may stand for a float) and be near enough. NaN
    equals NaN alone. Lists and tuples are compared cell by cell, the rest by `==`.

    Args:
        got: Of a submission: plain values and arrays of NumPy.
        expected: The judge's.
        rtol, atol: For floats; by default those of the expected width.

    Example:
        >>> difference(np.array([1.0, 2.0]), np.array([1.0, 2.5])).plain
        'some of the values are wrong'
        >>> difference(3, 3.0) is None
        True
    """
    if isinstance(expected, list | tuple):
        return _of_lists(got, expected, rtol, atol)
    if _is_numeric(expected):
        return _of_arrays(got, np.asarray(expected), rtol, atol)
    if type(got) is type(expected) and got == expected:
        return None
    return _other_kind(got, expected)


def _is_numeric(value: Any) -> bool:
    return isinstance(value, np.ndarray | np.generic | bool | int | float)


def _other_kind(got: Any, expected: Any) -> Difference:
    plain = "the result is wrong"
    if _word(got) != _word(expected):
        plain = f"the result is {_word(got)}; need {_word(expected)}"
    details = f"got {format_value(got)}, expected {format_value(expected)}"
    return Difference(plain, details)


def _word(value: Any) -> str:
    """Describe a value's kind without revealing its size."""
    if value is None:
        return "None"
    if isinstance(value, np.ndarray) and value.ndim:
        return "an array"
    if _is_numeric(value):
        return "a number"
    for kind, word in ((str, "a text"), (list, "a list"), (tuple, "a tuple")):
        if isinstance(value, kind):
            return word
    return "something else"


def _of_lists(got: Any, expected: Any, rtol: Any, atol: Any) -> Difference | None:
    if not isinstance(got, list | tuple):
        return _other_kind(got, expected)
    if len(got) != len(expected):
        return Difference(
            "the result has another length than expected",
            f"got {len(got)} values, expected {len(expected)}: {format_value(got)} and "
            f"{format_value(expected)}",
        )
    for index, (one, other) in enumerate(zip(got, expected, strict=True)):
        wrong = difference(one, other, rtol, atol)
        if wrong is not None:
            return Difference(wrong.plain, f"value {index}: {wrong.details}")
    return None


def _of_arrays(got: Any, expected: Any, rtol: Any, atol: Any) -> Difference | None:
    if not _is_numeric(got):
        return _other_kind(got, expected)
    array = np.asarray(got)
    if array.shape != expected.shape:
        return Difference(
            "the result has another shape than expected",
            f"got the shape {array.shape}, expected {expected.shape}",
        )
    kind = expected.dtype.kind
    if array.dtype.kind not in _MAY_STAND.get(kind, kind):
        return Difference(
            "the result is of another type than expected",
            f"got {array.dtype}, expected {expected.dtype}",
        )
    wrong = ~_near(array, expected, rtol, atol)
    return _cells(array, expected, wrong) if wrong.any() else None


def _near(got: Any, expected: Any, rtol: Any, atol: Any) -> Any:
    if expected.dtype.kind != "f":
        return np.atleast_1d(got == expected)
    default = _TOLERANCE.get(expected.dtype.itemsize, _TOLERANCE[8])
    rtol, atol = (
        usual if given is None else given
        for given, usual in zip((rtol, atol), default, strict=True)
    )
    # Floats of a narrower width have their own rounding: compare as double.
    got, expected = got.astype(np.float64), expected.astype(np.float64)
    with np.errstate(all="ignore"):
        near = np.isclose(got, expected, rtol=rtol, atol=atol, equal_nan=True)
    return np.atleast_1d(near)


def _cells(got: Any, expected: Any, wrong: Any) -> Difference:
    """Return how many elements are wrong, and the first of them."""
    wrong = wrong.reshape(np.atleast_1d(got).shape)
    count = int(wrong.sum())
    first = tuple(int(array) for array in np.argwhere(wrong)[0])
    subscript = f"[{', '.join(map(str, first))}]" if got.ndim else ""
    values = [np.atleast_1d(array)[first] for array in (got, expected)]
    details = f"result{subscript} is {values[0]!s}, expected {values[1]!s}"
    if wrong.size > 1:
        details += f"; {count} of {wrong.size} cells are wrong"
    some = "all" if count == wrong.size else "some of the"
    return Difference(f"{some} values are wrong", details)
