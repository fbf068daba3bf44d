"""Name the line of a user's program in warnings and launches, and hide library frames
from tracebacks, so that a learner sees only their own code.
"""

from __future__ import annotations

import contextlib
import dis
import functools
import os
import re
import sys
import warnings
from collections.abc import Callable
from types import FrameType, FunctionType, TracebackType
from typing import Any, ParamSpec, TypeVar

_PACKAGE = os.path.abspath(os.path.join(__file__, *[os.pardir] * 2)) + os.sep

# IPython without a notebook names its cells so.
_TERMINAL_CELL = re.compile(r"<ipython-input-(\d+)-")

_inside: dict[str, bool] = {}
_warned_in_cells: dict[
    str, dict[Any, Any]
] = {}  # by file, as Python has them by module


def is_inside(filename: str) -> bool:
    known = _inside.get(filename)
    if known is None:
        known = filename.startswith(_PACKAGE)
        known = known or filename == functools.__file__  # of a cached property
        _inside[filename] = known
    return known


def cell_of(filename: str) -> str | None:
    """Return a notebook cell's number as "cell [8]"; None for any other file."""
    ipython = sys.modules.get("IPython")
    if ipython is not None and "ipykernel" in filename:
        shell = ipython.get_ipython()
        numbers = getattr(getattr(shell, "compile", None), "_filename_map", {})
        if filename in numbers:
            return f"cell [{numbers[filename]}]"
    in_terminal = _TERMINAL_CELL.match(filename)
    return f"cell [{in_terminal[1]}]" if in_terminal else None


def display_name(filename: str) -> str:
    """Return the last part of a path, or the number of a notebook cell."""
    return cell_of(filename) or os.path.basename(filename)


def place_name(filename: str) -> str:
    """Return `display_name`, but with the folders of a file of the library.

    Several of them are called conv.py.
    """
    if not filename.startswith(_PACKAGE):
        return display_name(filename)
    return os.path.relpath(filename, os.path.dirname(_PACKAGE[:-1])).replace(
        os.sep, "/"
    )


def _caller() -> FrameType | None:
    """Return the innermost frame outside this package."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and is_inside(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def launch_site() -> str:
    """Return the file and line of the innermost caller outside this package.

    Returns:
        "train.py:12", or "" when there is no such caller.
    """
    frame = _caller()
    if frame is None:
        return ""
    return f"{display_name(frame.f_code.co_filename)}:{frame.f_lineno}"


def warn_at_caller(text: str, category: type[Warning]) -> None:
    """Warn at the line of the innermost caller outside this package.

    Each text is reported once per line, unless the filters say otherwise. The cells of
    a notebook share their globals and begin at line 1 each: they are kept apart here.
    """
    frame = _caller()
    if frame is None:
        warnings.warn(text, category, stacklevel=2)
        return
    filename = frame.f_code.co_filename
    cell = cell_of(filename)
    if cell is None:
        registry = frame.f_globals.setdefault("__warningregistry__", {})
    else:
        registry = _warned_in_cells.setdefault(filename, {})
    module = frame.f_globals.get("__name__") or "<unknown>"
    name = cell or filename
    warnings.warn_explicit(text, category, name, frame.f_lineno, module, registry)


P = ParamSpec("P")
Result = TypeVar("Result")
T = TypeVar("T")

_SWITCH = "MINITORCH_TRACEBACK"
_RAISE = dis.opmap["RAISE_VARARGS"]
_HIDDEN = "__minitorch_hidden__"
# `with` blocks made of generators go through one, kept properties through the other.
_BETWEEN = (contextlib.__file__, functools.__file__)


def is_stated(error: BaseException) -> bool:
    """Return whether the core or a `raise` stated the error.

    Others are Python's, of an operation that it could not do.
    """
    entry = error.__traceback__
    while entry is not None and entry.tb_next is not None:
        entry = entry.tb_next
    if entry is None or isinstance(error, RuntimeError) or hasattr(error, _HIDDEN):
        return True
    return entry.tb_frame.f_code.co_code[entry.tb_lasti] == _RAISE


def hide_library(error: BaseException) -> None:
    """Remove library frames from the traceback of an error that explains itself.

    A bare `raise` after it adds no frame of the function that it stands in. What Python
    could not do is a mistake of the library, and keeps all frames.

    Args:
        error: One that is being handled, in an `except` clause.
    """
    if os.environ.get(_SWITCH) == "full" or not is_stated(error):
        return
    vars(error)[_HIDDEN] = True  # a guard around this one no longer sees the `raise`
    error.__traceback__ = _outside(error.__traceback__)
    # What the library tried before is no news; what the caller was handling is.
    earlier = error.__cause__ or error.__context__
    if earlier is not None and _outside(earlier.__traceback__) is None:
        error.__cause__ = None  # and Python shows no context then


def _outside(entry: TracebackType | None) -> TracebackType | None:
    """Return the traceback entries outside the library, as a chain of their own."""
    if entry is None:
        return None
    rest = _outside(entry.tb_next)
    file = entry.tb_frame.f_code.co_filename
    if is_inside(file) or file in _BETWEEN:
        return rest
    return TracebackType(rest, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)


class _LearnerFrames:
    """Context manager and decorator that hides library frames from tracebacks."""

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: object, error: BaseException | None, traceback: object
    ) -> None:
        if error is not None:
            hide_library(error)

    def __call__(self, function: Callable[P, Result]) -> Callable[P, Result]:
        @functools.wraps(function)
        def guarded(*args: P.args, **named: P.kwargs) -> Result:
            with self:
                return function(*args, **named)

        return guarded


learner_frames = _LearnerFrames()


def learner_methods(cls: type[T]) -> type[T]:
    """Wrap a class's methods in `learner_frames`.

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
    for name, value in list(vars(cls).items()):
        special = name.startswith("__") and name != "__init__"
        if isinstance(value, FunctionType) and (special or not name.startswith("_")):
            setattr(cls, name, learner_frames(value))
    return cls
