"""Owns what a traceback shows of this library: nothing, where the message says it all.

A mistake in a kernel comes to light far below the line that launched it. Every public
entry point sends its errors through here, so that what the learner reads is their own
lines and the message. Must not know what the errors mean.
"""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Callable, Iterator
from types import FunctionType, TracebackType
from typing import ParamSpec, TypeVar

from .launch_site import is_inside

Given = ParamSpec("Given")
Result = TypeVar("Result")
Made = TypeVar("Made")

_SWITCH = "MINITORCH_TRACEBACK"
# `with` blocks made of generators go through one, kept properties through the other.
_BETWEEN = (contextlib.__file__, functools.__file__)


def hide_library(error: BaseException) -> None:
    """Take this library's frames out of the traceback of an error that explains itself.

    A bare `raise` after it adds no frame of the function that it stands in. Errors that
    do not begin with `[where]` are mistakes of the library: they keep all frames.

    Args:
        error: One that is being handled, in an `except` clause.
    """
    text = str(error).lstrip("'\"")  # a KeyError's is quoted
    if os.environ.get(_SWITCH) == "full" or not text.startswith("["):
        return
    error.__traceback__ = _outside(error.__traceback__)
    # What the library tried before is no news; what the caller was handling is.
    earlier = error.__cause__ or error.__context__
    if earlier is not None and _outside(earlier.__traceback__) is None:
        error.__cause__ = None  # and Python shows no context then


def _outside(shown: TracebackType | None) -> TracebackType | None:
    """The entries of files outside the library, as a chain of their own."""
    if shown is None:
        return None
    rest = _outside(shown.tb_next)
    file = shown.tb_frame.f_code.co_filename
    if is_inside(file) or file in _BETWEEN:
        return rest
    return TracebackType(rest, shown.tb_frame, shown.tb_lasti, shown.tb_lineno)


class _LearnerFrames:
    """`with learner_frames:` around a body, or `@learner_frames` above a function."""

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        shown: TracebackType | None,
    ) -> None:
        if error is not None:
            hide_library(error)

    def __call__(self, function: Callable[Given, Result]) -> Callable[Given, Result]:
        @functools.wraps(function)
        def guarded(*args: Given.args, **named: Given.kwargs) -> Result:
            with self:
                return function(*args, **named)

        return guarded


learner_frames = _LearnerFrames()


def learner_methods(made: type[Made]) -> type[Made]:
    """Send what a class's own methods raise through `learner_frames`.

    That is all methods without an underscore in front, and the special ones but
    `__init__`, which other parts of the library call all the time. Properties that
    raise name `learner_frames` themselves.

    Example:
        >>> @learner_methods
        ... class Lamp:
        ...     def switch(self):
        ...         raise ValueError("[switch] got no bulb; need one.")
        >>> Lamp().switch()
        Traceback (most recent call last):
        ...
        ValueError: [switch] got no bulb; need one.
    """
    for name, value in list(vars(made).items()):
        special = name.startswith("__") and name != "__init__"
        if isinstance(value, FunctionType) and (special or not name.startswith("_")):
            setattr(made, name, learner_frames(value))
    return made


@learner_methods
class _LearnerContext(contextlib.AbstractContextManager[Result]):
    """A `with` block whose beginning and end send their errors through here."""

    def __init__(self, inner: contextlib.AbstractContextManager[Result]) -> None:
        self._inner = inner

    def __enter__(self) -> Result:
        return self._inner.__enter__()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        shown: TracebackType | None,
    ) -> bool | None:
        return self._inner.__exit__(kind, error, shown)


def learner_context(
    function: Callable[Given, Iterator[Result]],
) -> Callable[Given, contextlib.AbstractContextManager[Result]]:
    """Make a `with` block of a generator, as `contextlib.contextmanager` does.

    Its errors go through `learner_frames`.
    """
    inner = contextlib.contextmanager(function)

    @functools.wraps(function)
    def opened(
        *args: Given.args, **named: Given.kwargs
    ) -> contextlib.AbstractContextManager[Result]:
        return _LearnerContext(inner(*args, **named))

    return opened
