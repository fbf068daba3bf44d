"""The way of an op's call: straight on, or through the overrides of its thread."""

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
    """What stands in the place of an op while it is open."""

    def stands_for(self, name: str) -> bool:
        """Does it stand for the op `name` in the call that is being made?"""

    def run(
        self, name: str, original: Callable[..., Any], args: tuple[Any, ...]
    ) -> Any:
        """The result; `original` is the op without this override."""


# Those of all threads. Empty, it is all that a call looks at.
open_overrides: list[Override] = []

_METHODS: dict[str, Any] = dict(vars(_core.Tensor))
_functions: set[str] = set()


class _Thread(threading.local):
    """The overrides of this thread, and which of them are being run."""

    def __init__(self) -> None:
        self.open: list[Override] = []  # outermost first
        self.running: list[Override] = []
        self.going_back = 0


_thread = _Thread()


def names() -> list[str]:
    """The ops that have a name here, sorted."""
    return sorted(_functions | set(_core.overridable()))


def enter(override: Override) -> None:
    """Opens it for this thread, inside those that are open."""
    _thread.open.append(override)
    open_overrides.append(override)
    _core.count_overrides(1)


def leave(override: Override) -> None:
    """Closes it, on the thread where it was opened."""
    places = [i for i, one in enumerate(_thread.open) if one is override]
    if not places:
        raise RuntimeError(
            f"[override] got the end of {override} on a thread where it is not open; "
            "need its with block on one thread."
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
    """Make those of a state the only ones of this thread."""
    wanted, running = state
    for each in reversed(list(_thread.open)):
        leave(each)
    for each in wanted:
        enter(each)
    _thread.running[:] = running


def is_overridden(names: Iterable[str]) -> bool:
    """Would a call of one of these ops meet an override now?"""
    return bool(open_overrides) and any(_found(name) is not None for name in names)


@contextmanager
def going_back() -> Iterator[None]:
    """Around a backward pass in Python: what was recorded decides, nobody else."""
    _thread.going_back += 1
    try:
        yield
    finally:
        _thread.going_back -= 1


def _found(name: str) -> Override | None:
    """The innermost override for this call that is not being run."""
    if _thread.going_back:
        return None
    for each in reversed(_thread.open):
        running = any(each is one for one in _thread.running)
        if not running and each.stands_for(name):
            return each
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
            f"[override] got None from the forward of '{name}'; need its "
            "result. Does it end with return?"
        )
    return result


def overridable(function: _Function) -> _Function:
    """The function, which overrides of its name can replace."""
    name = function.__name__
    _functions.add(name)

    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        if not open_overrides:
            return function(*args, **options)
        found = _found(name)
        if found is None:
            return function(*args, **options)
        try:
            bound = inspect.signature(function).bind(*args, **options)
        except TypeError:
            return function(*args, **options)  # which says what is wrong
        bound.apply_defaults()
        return _run(found, name, call, (*bound.args, *bound.kwargs.values()))

    return call  # type: ignore[return-value]


def _asked(name: str, method: str, *args: Any) -> Any:
    """The same for the ops that C++ binds: a tensor, or None where none stands."""
    found = _found(name)
    if found is None:
        return None
    special = method.startswith("__")
    original = getattr(operator, method) if special else _METHODS[method]
    result = _run(found, name, original, args)
    if not isinstance(result, _core.Tensor):
        raise TypeError(
            f"[override] got {type(result).__name__} from the forward of '{name}'; "
            "need a Tensor."
        )
    return result


_core.connect_overrides(_asked)
