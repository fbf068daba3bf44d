"""Owns the source line from which a kernel was launched, and warnings that name it.

Must not know kernels.
"""

from __future__ import annotations

import functools
import os
import re
import sys
import warnings
from types import FrameType
from typing import Any

_PACKAGE = os.path.abspath(os.path.join(__file__, *[os.pardir] * 3)) + os.sep
# Programs inside the package that launch kernels as a user does.
_OUTSIDE = (_PACKAGE + "demo" + os.sep,)

# IPython without a notebook names its cells so.
_TERMINAL_CELL = re.compile(r"<ipython-input-(\d+)-")

_inside: dict[str, bool] = {}
_told_in_cells: dict[str, dict[Any, Any]] = {}  # by file, as Python has them by module


def is_inside(filename: str) -> bool:
    known = _inside.get(filename)
    if known is None:
        known = filename.startswith(_PACKAGE) and not filename.startswith(_OUTSIDE)
        known = known or filename == functools.__file__  # of a cached property
        _inside[filename] = known
    return known


def cell_of(filename: str) -> str | None:
    """Name a notebook's cell by its number, "cell [8]"; None for any other file."""
    ipython = sys.modules.get("IPython")
    if ipython is not None and "ipykernel" in filename:
        shell = ipython.get_ipython()
        numbers = getattr(getattr(shell, "compile", None), "_filename_map", {})
        if filename in numbers:
            return f"cell [{numbers[filename]}]"
    in_terminal = _TERMINAL_CELL.match(filename)
    return f"cell [{in_terminal[1]}]" if in_terminal else None


def display_name(filename: str) -> str:
    """Shorten a path to its last part; a notebook's cell to its number."""
    return cell_of(filename) or os.path.basename(filename)


def place_name(filename: str) -> str:
    """The same, but a file of the library keeps its folders from the package's own on.

    Several of them are called conv.py.
    """
    if not filename.startswith(_PACKAGE):
        return display_name(filename)
    return os.path.relpath(filename, os.path.dirname(_PACKAGE[:-1])).replace(
        os.sep, "/"
    )


def _caller() -> FrameType | None:
    """The innermost frame outside this package."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and is_inside(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def launch_site() -> str:
    """Name the innermost caller outside this package.

    Returns:
        "train.py:12", or "" when there is no such caller.
    """
    frame = _caller()
    if frame is None:
        return ""
    return f"{display_name(frame.f_code.co_filename)}:{frame.f_lineno}"


def tell(text: str, category: type[Warning]) -> None:
    """Warn at the line of the innermost caller outside this package.

    Each text is told once for a line, unless the filters say otherwise. The cells of a
    notebook share their globals and begin at line 1 each: they are kept apart here.
    """
    frame = _caller()
    if frame is None:
        warnings.warn(text, category, stacklevel=2)
        return
    filename = frame.f_code.co_filename
    cell = cell_of(filename)
    if cell is None:
        told = frame.f_globals.setdefault("__warningregistry__", {})
    else:
        told = _told_in_cells.setdefault(filename, {})
    module = frame.f_globals.get("__name__") or "<unknown>"
    name = cell or filename
    warnings.warn_explicit(text, category, name, frame.f_lineno, module, told)
