"""Owns what a traceback shows of this library: nothing, where the message says it all.

A mistake in a kernel comes to light far below the line that launched it. Every public
entry point sends its errors through here, so that what the learner reads is their own
lines and the message. Must not know what the errors mean.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from types import TracebackType
from typing import ParamSpec, TypeVar

from .launch_site import is_inside

Given = ParamSpec("Given")
Result = TypeVar("Result")

_SWITCH = "MINITORCH_TRACEBACK"


def hide_library(error: BaseException) -> None:
    """Take this library's frames out of the traceback of an error that explains itself.

    A bare `raise` after it adds no frame of the function that it stands in. Errors that
    do not begin with `[where]` are mistakes of the library: they keep all frames.

    Args:
        error: One that is being handled, in an `except` clause.
    """
    if os.environ.get(_SWITCH) == "full" or not str(error).startswith("["):
        return
    error.__traceback__ = _outside(error.__traceback__)
    # What the library tried before is no news; what the caller was handling is.
    earlier = error.__context__
    if earlier is not None and _outside(earlier.__traceback__) is None:
        error.__suppress_context__ = True


def _outside(shown: TracebackType | None) -> TracebackType | None:
    """The entries of files outside the library, as a chain of their own."""
    if shown is None:
        return None
    rest = _outside(shown.tb_next)
    if is_inside(shown.tb_frame.f_code.co_filename):
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
