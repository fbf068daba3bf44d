"""Owns the parameters of a kernel's function: their names, and which argument is whose.

Must not know types.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Mapping, Sequence
from typing import Any

_VARIADIC = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


class ArgumentName:
    """Which argument a value is: "argument 2 'n'"; its text is for errors alone.

    Attributes:
        path: Its place, counted from 0.

    Example:
        >>> print(ArgumentName(1, "n")), print(Item(ArgumentName(1, "n"), 0))
        argument 2 'n'
        argument 2 'n'[0]
        (None, None)
    """

    def __init__(self, place: int, name: str) -> None:
        self._place = place
        self._name = name
        self.path: tuple[int, ...] = (place,)

    def __str__(self) -> str:
        named = f" '{self._name}'" if self._name else ""
        return f"argument {self._place + 1}{named}"


class Item:
    """An item of a tuple that is an argument; `path` ends with its place there."""

    def __init__(self, whole: object, place: int) -> None:
        self._whole = whole
        self._place = place
        self.path: tuple[int, ...] = (*getattr(whole, "path", ()), place)

    def __str__(self) -> str:
        return f"{self._whole}[{self._place}]"


class Parameters:
    """The parameters of one function."""

    def __init__(self, function: types.FunctionType) -> None:
        code = function.__code__
        self._function = function
        self._count = code.co_argcount
        self._fixed = not code.co_flags & _VARIADIC
        names = code.co_varnames[: self._count]
        self._names = [ArgumentName(place, name) for place, name in enumerate(names)]

    def name(self, place: int) -> ArgumentName:
        """What to call the argument at a place."""
        if place < len(self._names):
            return self._names[place]
        return ArgumentName(place, "")

    def bound(self, args: Sequence[Any], named: Mapping[str, Any]) -> Sequence[Any]:
        """Put named arguments and defaults in their places; TypeError names misfits."""
        if not named and len(args) == self._count and self._fixed:
            return args
        signature = inspect.signature(self._function)
        try:
            bound = signature.bind(*args, **named)
        except TypeError as error:
            names = ", ".join(signature.parameters)
            raise TypeError(
                f"[launch] got {len(args) + len(named)} arguments for "
                f"{self._function.__name__}({names}): {error}; need one for each "
                "parameter."
            ) from None
        bound.apply_defaults()
        return bound.args

    def check_count(self, count: int) -> None:
        """Refuse a signature with another number of arguments."""
        if count == self._count or not self._fixed:
            return
        names = ", ".join(self._function.__code__.co_varnames[: self._count])
        raise TypeError(
            f"[jit] got a signature of {count} arguments for "
            f"{self._function.__name__}({names}); need {self._count}."
        )
