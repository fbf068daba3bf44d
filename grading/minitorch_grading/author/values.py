"""Format of arguments and results in messages between the judge and an author.

Numbers, texts, None, arrays, and lists and tuples of them; nothing else comes through,
whatever it calls itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..sandbox.frames import FrameError, FrameLimits, plain

_TEXT = 4096  # characters of a text
_DIGITS = 1000  # of a whole number, in base 16: more, Python does not write in base 10
_ITEMS = 200_000
_DEPTH = 16
_LEAST_TEXT, _LEAST_BYTES = 2 << 20, 16 << 20  # of an answer, for whatever is expected


class ValueForm:
    """Packs values into a message: the tree as JSON, the arrays separately."""

    def __init__(self) -> None:
        self.arrays: list[NDArray[Any]] = []
        self._left = _ITEMS

    def pack(self, value: object, depth: int = 0) -> Any:
        """Return `value` as JSON; arrays in it become indices into `arrays`.

        Raises:
            TypeError: It holds something else than values.
            ValueError: It is too long or too deep.
        """
        self._left -= 1
        if depth > _DEPTH or self._left < 0:
            raise ValueError(
                f"[driver] got a result with more than {_ITEMS} items, or nested "
                f"deeper than {_DEPTH} lists."
            )
        if value is None or value is True or value is False:
            return value
        kind = type(value)
        if kind is int:
            return {"int": _digits(value)}  # type: ignore[arg-type]
        if kind is float:
            return {"float": float.hex(value)}  # type: ignore[arg-type]
        if kind is str:
            return {"text": _checked(value)}
        if isinstance(value, np.ndarray | np.generic):
            return self._pack_array(value)
        if kind is list or kind is tuple:
            items = [self.pack(part, depth + 1) for part in value]  # type: ignore
            return {kind.__name__: items}
        raise TypeError(
            f"[driver] cannot return {kind.__name__}; need an array, a number, a "
            "string, None, or a list or tuple of these."
        )

    def _pack_array(self, value: NDArray[Any] | np.generic) -> dict[str, int]:
        if isinstance(value, np.str_):
            return {"text": _checked(str(value))}  # type: ignore[dict-item]
        # Not asarray: a class derived from ndarray comes out as ndarray's own.
        self.arrays.append(plain(np.array(value, copy=True, subok=False)))
        scalar = isinstance(value, np.generic)
        return {"number" if scalar else "array": len(self.arrays) - 1}


def _digits(value: int) -> str:
    if value.bit_length() > 4 * _DIGITS - 4:
        raise ValueError(
            f"[driver] got an integer of {value.bit_length()} bits; need at most "
            f"{4 * _DIGITS - 4}."
        )
    return format(value, "x")


def _checked(value: Any) -> str:
    text = str(value)
    if len(text) > _TEXT:
        raise ValueError(
            f"[driver] got a string of {len(text)} characters; need at most {_TEXT}."
        )
    return text.encode("utf-8", "replace").decode()


def room_for(value: object) -> FrameLimits:
    """Return the size limits of an answer where `value` is expected: a multiple of its
    size, so that a wrong shape can be reported as such.

    Example:
        >>> room_for(np.zeros((1000, 1000))).total >> 20
        46
    """
    text, data = _extent(value)
    return FrameLimits(header=_LEAST_TEXT + 2 * text, total=_LEAST_BYTES + 4 * data)


def _extent(value: object) -> tuple[int, int]:
    """Return upper bounds of a value's characters of JSON and bytes of arrays."""
    if isinstance(value, np.ndarray):
        return 64, 8 * value.size
    if isinstance(value, str):
        return 6 * len(value) + 64, 0
    if isinstance(value, list | tuple):
        parts = [_extent(part) for part in value]
        return sum(n for n, _ in parts) + 64, sum(n for _, n in parts)
    return 64, 8


def unpack(form: Any, arrays: Sequence[NDArray[Any]], depth: int = 0) -> Any:
    """Return the value that `ValueForm.pack` wrote.

    Raises:
        FrameError: It is no such form: it came from somebody else.

    Example:
        >>> form = ValueForm()
        >>> tree = form.pack([1, (2.5, None)])
        >>> unpack(tree, form.arrays)
        [1, (2.5, None)]
    """
    if form is None or isinstance(form, bool):
        return form
    if not isinstance(form, dict) or len(form) != 1 or depth > _DEPTH:
        raise FrameError("[frames] got a value in a form that is none.")
    ((kind, content),) = form.items()
    if kind in ("list", "tuple") and isinstance(content, list):
        if len(content) > _ITEMS:
            raise FrameError("[frames] got a value of too many parts.")
        items = [unpack(part, arrays, depth + 1) for part in content]
        return items if kind == "list" else tuple(items)
    if kind in ("array", "number") and type(content) is int:
        if not 0 <= content < len(arrays):
            raise FrameError("[frames] got the number of an array that is not there.")
        array = arrays[content]
        if kind == "number" and array.ndim:
            raise FrameError("[frames] got an array in place of a number.")
        return array if kind == "array" else array[()]
    if isinstance(content, str) and len(content) <= _TEXT:
        return _unpack_text(kind, content)
    raise FrameError("[frames] got a value in a form that is none.")


def _unpack_text(kind: str, content: str) -> Any:
    try:
        if kind == "int" and len(content) <= _DIGITS:
            return int(content, 16)
        if kind == "float":
            return float.fromhex(content)
    except (ValueError, OverflowError):
        raise FrameError(f"[frames] got a {kind} that is none.") from None
    if kind == "text":
        return content
    raise FrameError("[frames] got a value in a form that is none.")
