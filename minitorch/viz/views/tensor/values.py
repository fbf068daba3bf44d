"""How values of any dtype are written into a cell."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...scene.drawing import number, width_of

SIZE = 11.0
_NARROWEST, _WIDEST, _MARGIN = 30.0, 46.0, 6.0


def _forms(value: Any) -> list[str]:
    """A value as text, the longest form first."""
    if isinstance(value, np.bool_ | bool):
        return [str(bool(value)), "T" if value else "F"]
    if isinstance(value, complex | np.complexfloating):
        parts = complex(value)
        return [f"{parts.real:.{n}g}{parts.imag:+.{n}g}i" for n in (3, 2, 1)]
    try:
        words = number(value)
    except (TypeError, ValueError):
        return [str(value)]
    if not words.lstrip("-")[:1].isdigit() or hasattr(value, "__index__"):
        return [words]
    plain = float(value)
    whole = [f"{plain:.0f}"] if plain == round(plain) and abs(plain) < 1e6 else []
    shorter = [f"{plain:.{n}g}" for n in (3, 2, 1)]
    # Last, where a cell is very narrow: .3 for 0.3.
    bare = [each.replace("0.", ".", 1) for each in shorter if abs(plain) < 1]
    return [words, *whole, *shorter, *bare]


def fitted(value: Any, wide: float) -> str:
    """A value as text that fits into a cell; "…" where none does.

    Example:
        >>> fitted(0.123456, 46), fitted(0.123456, 30), fitted(-0.3, 28)
        ('0.1235', '0.1', '-.3')
    """
    for words in _forms(value):
        if width_of(words, SIZE, mono=True) <= wide - _MARGIN + 2:
            return words
    return "…"


def width_for(values: NDArray[Any]) -> float:
    """How wide cells are to be for the values in them."""
    longest = max((len(_forms(value)[0]) for value in values.reshape(-1)), default=1)
    wanted = width_of("0" * longest, SIZE, mono=True) + _MARGIN
    return min(max(wanted, _NARROWEST), _WIDEST)
