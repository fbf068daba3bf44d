"""Dispatch of ops: directly, or through the overrides of the thread."""

from __future__ import annotations

import functools
import inspect
import operator
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from .. import _core

_Function = TypeVar("_Function", bound=Callable[..., Any])


class Override(Protocol):
    """Interface of an override of ops."""

    def stands_for(self, name: str) -> bool:
        """Return whether it overrides the op `name` in the current call."""

    def run(
        self, name: str, original: Callable[..., Any], args: tuple[Any, ...]
    ) -> Any:
        """Return the result; `original` is the op without this override."""


# Those of all threads. Empty, it is all that a call looks at.
open_overrides: list[Override] = []

_METHODS: dict[str, Any] = dict(vars(_core.Tensor))
_functions: set[str] = set()


class _Thread(threading.local):
    """Overrides of this thread, and those that are running."""

    def __init__(self) -> None:
        self.open: list[Override] = []  # outermost first
        self.running: list[Override] = []
        self.going_back = 0


_thread = _Thread()


def names() -> list[str]:
    """Return the names of all ops that can be overridden, sorted."""
    return sorted(_functions | set(_core.overridable()))


def enter(override: Override) -> None:
    """Open an override for this thread, inside those that are open."""
    _thread.open.append(override)
    open_overrides.append(override)
    _core.count_overrides(1)


def leave(override: Override) -> None:
    """Close an override on the thread that opened it."""
    places = [i for i, one in enumerate(_thread.open) if one is override]
    if not places:
        raise RuntimeError(
            f"[override] {override} ended on a thread where it is not active. Its with "
            "block must begin and end on the same thread."
        )
    del _thread.open[places[-1]]
    open_overrides.remove(override)
    _core.count_overrides(-1)


#: Overrides that are open on a thread, and those of them that are being run.
OverrideState = tuple[tuple[Override, ...], tuple[Override, ...]]


def override_state() -> OverrideState:
    """Return the overrides of this thread."""
    return tuple(_thread.open), tuple(_thread.running)


def use_overrides(state: OverrideState) -> None:
    """Replace the overrides of this thread by those of a state."""
    wanted, running = state
    for override in reversed(list(_thread.open)):
        leave(override)
    for override in wanted:
        enter(override)
    _thread.running[:] = running


def is_overridden(names: Iterable[str]) -> bool:
    """Return whether a call of one of these ops would meet an override now."""
    return bool(open_overrides) and any(_find(name) is not None for name in names)


@contextmanager
def going_back() -> Iterator[None]:
    """Suspend overrides during a backward pass in Python."""
    _thread.going_back += 1
    try:
        yield
    finally:
        _thread.going_back -= 1


def _find(name: str) -> Override | None:
    """Return the innermost override for this call that is not running, or None."""
    if _thread.going_back:
        return None
    for override in reversed(_thread.open):
        running = any(override is one for one in _thread.running)
        if not running and override.stands_for(name):
            return override
    return None


def _run(override: Override, name: str, original: Any, args: Any) -> Any:
    def without(*given: Any, **options: Any) -> Any:
        _thread.running.append(override)
        try:
            return original(*given, **options)
        finally:
            _thread.running.pop()

    _thread.running.append(override)
    _core.begin_scope(name, "op", "override")
    try:
        result = override.run(name, without, args)
    finally:
        _core.end_scope()
        _thread.running.pop()
    if result is None:
        raise TypeError(
            f"[override] the forward of '{name}' returned None; it must return the "
            "result. Is a return statement missing?"
        )
    return result


def overridable(function: _Function) -> _Function:
    """Decorate a function so that overrides of its name can replace it."""
    name = function.__name__
    _functions.add(name)

    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        if not open_overrides:
            return function(*args, **options)
        override = _find(name)
        if override is None:
            return function(*args, **options)
        try:
            bound = inspect.signature(function).bind(*args, **options)
        except TypeError:
            return function(*args, **options)  # which says what is wrong
        bound.apply_defaults()
        return _run(override, name, call, (*bound.args, *bound.kwargs.values()))

    return call  # type: ignore[return-value]


def _asked(name: str, method: str, *args: Any) -> Any:
    """Run the override of an op bound in C++; return None if there is none."""
    override = _find(name)
    if override is None:
        return None
    special = method.startswith("__")
    original = getattr(operator, method) if special else _METHODS[method]
    result = _run(override, name, original, args)
    if not isinstance(result, _core.Tensor):
        raise TypeError(
            f"[override] the forward of '{name}' returned {type(result).__name__}; it "
            "must return a Tensor."
        )
    return result


_core.connect_overrides(_asked)
