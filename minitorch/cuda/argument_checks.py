"""Check single arguments of functions on the host: integers, streams, events."""

from __future__ import annotations

from typing import Any


def as_integer(value: Any, where: str, name: str = "", need: str = "an int") -> int:
    """Return an integer as an int; TypeError for anything else.

    Args:
        value: Given by the caller.
        where: Name of the called function.
        name: Of the argument, if it has several.
        need: What it must be, for the message.
    """
    # Looking for __index__ first would take a microsecond, at each launch.
    if value.__class__ is int:
        return int(value)
    if not hasattr(type(value), "__index__"):
        name = f"{name} " if name else ""
        raise TypeError(f"[{where}] got {name}{value!r}; need {need}.")
    return int(value.__index__())


def need_instance(value: object, kind: type, where: str, name: str = "") -> None:
    """Raise TypeError unless a value is of a class of `minitorch.cuda`."""
    if not isinstance(value, kind):
        name = f"{name} " if name else ""
        raise TypeError(f"[{where}] got {name}{value!r}; need a cuda.{kind.__name__}.")
