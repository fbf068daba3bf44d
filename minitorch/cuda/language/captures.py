"""Outside names that a function reads, and whether they have changed."""

from __future__ import annotations

import builtins
import types

_MISSING = object()


class Captures:
    """Outside names that a translation read, each with its value.

    Args:
        root: The function that is translated; reads of the functions it calls are kept
            too.

    Example:
        >>> scale = 3
        >>> def triple(x: float) -> float:
        ...     return scale * x
        >>> seen = Captures(triple)
        >>> seen.read(triple, "scale")
        3
        >>> seen.unchanged(triple)
        True
    """

    def __init__(self, root: types.FunctionType) -> None:
        self._root = root
        self._reads: list[tuple[types.FunctionType, tuple[str, ...], object]] = []

    def read(self, function: types.FunctionType, *path: str) -> object:
        """Look up a name, then attributes of it, as `function` would.

        Args:
            function: Its closure, globals and builtins are searched, in this order.
            path: The name, then attributes: `"math", "pi"`.

        Returns:
            The value, which is remembered.

        Raises:
            KeyError: There is no such name or attribute.
        """
        value = _resolve(function, path)
        if value is _MISSING:
            raise KeyError(".".join(path))
        self._reads.append((function, path, value))
        return value

    def unchanged(self, root: types.FunctionType) -> bool:
        """Return whether every read would give the same value for `root` now."""
        return all(
            _same(_resolve(root if function is self._root else function, path), value)
            for function, path, value in self._reads
        )


def outside_names(function: types.FunctionType) -> set[str]:
    """Return all names that `function` could read, for suggestions."""
    return {*function.__globals__, *function.__code__.co_freevars}


def _resolve(function: types.FunctionType, path: tuple[str, ...]) -> object:
    value = _name(function, path[0])
    for attribute in path[1:]:
        value = getattr(value, attribute, _MISSING)
    return value


def _name(function: types.FunctionType, name: str) -> object:
    if name in function.__code__.co_freevars:
        cell = (function.__closure__ or ())[function.__code__.co_freevars.index(name)]
        try:
            return cell.cell_contents
        except ValueError:  # a closure variable that is not yet assigned
            return _MISSING
    if name in function.__globals__:
        return function.__globals__[name]
    return getattr(builtins, name, _MISSING)


def _same(now: object, then: object) -> bool:
    if now is then:
        return True
    if isinstance(then, (bool, int, float)):
        return type(now) is type(then) and repr(now) == repr(then)
    return False
