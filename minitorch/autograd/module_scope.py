"""Modules that are being called on a thread, as scopes of a recording."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

from .. import _core


class _Calls(threading.local):
    """Modules whose calls are open on this thread, with their paths."""

    def __init__(self) -> None:
        self.open: list[tuple[Any, str]] = []


_calls = _Calls()


def _inside(module: Any, prefix: str) -> Iterator[tuple[Any, str]]:
    """Yield the modules inside a module with their dotted paths, breadth first."""
    level: list[tuple[Any, str]] = [(module, prefix)]
    seen = {id(module)}
    while level:
        below: list[tuple[Any, str]] = []
        for outer, path in level:
            for name, inner in outer.__dict__.get("_modules", {}).items():
                if inner is None or id(inner) in seen:
                    continue
                seen.add(id(inner))
                below.append((inner, f"{path}.{name}" if path else name))
        yield from below
        level = below


def path_of(module: Any) -> str:
    """Return the dotted path of a module that is about to be called on this thread.

    It begins at the outermost module whose call is open, which is "" itself. A module
    that no open one has inside it gets its class in brackets: "features.(ReLU)".
    """
    if not _calls.open:
        return ""
    prefix: str
    for outer, prefix in reversed(_calls.open):
        if outer is module:
            return prefix
        for inner, path in _inside(outer, prefix):
            if inner is module:
                return path
    around = _calls.open[-1][1]
    stranger = f"({type(module).__name__})"
    return f"{around}.{stranger}" if around else stranger


def innermost() -> tuple[Any, str]:
    """Return the module being called on this thread and its path, or (None, "").

    Known while something is recorded or an op is overridden.
    """
    return _calls.open[-1] if _calls.open else (None, "")


class ModuleScope:
    """`with ModuleScope(module):` around its call, to report it to observers."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def __enter__(self) -> None:
        path = path_of(self._module)
        _core.begin_scope(path, "module", type(self._module).__name__)
        _calls.open.append((self._module, path))

    def __exit__(self, *error: object) -> None:
        _calls.open.pop()
        _core.end_scope()
