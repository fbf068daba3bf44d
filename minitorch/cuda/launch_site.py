"""Owns the source line from which a kernel was launched. Must not know kernels."""

from __future__ import annotations

import os
import re
import sys

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
# Programs inside the package that launch kernels as a user does.
_OUTSIDE = (_PACKAGE + "demo" + os.sep,)

# IPython without a notebook names its cells so.
_TERMINAL_CELL = re.compile(r"<ipython-input-(\d+)-")

_inside: dict[str, bool] = {}


def is_inside(filename: str) -> bool:
    known = _inside.get(filename)
    if known is None:
        known = filename.startswith(_PACKAGE) and not filename.startswith(_OUTSIDE)
        _inside[filename] = known
    return known


def display_name(filename: str) -> str:
    """Shorten a path to its last part; a notebook's cell to its number."""
    ipython = sys.modules.get("IPython")
    if ipython is not None and "ipykernel" in filename:
        shell = ipython.get_ipython()
        numbers = getattr(getattr(shell, "compile", None), "_filename_map", {})
        if filename in numbers:
            return f"cell [{numbers[filename]}]"
    in_terminal = _TERMINAL_CELL.match(filename)
    if in_terminal:
        return f"cell [{in_terminal[1]}]"
    return os.path.basename(filename)


def launch_site() -> str:
    """Name the innermost caller outside this package.

    Returns:
        "train.py:12", or "" when there is no such caller.
    """
    frame = sys._getframe(1)
    while is_inside(frame.f_code.co_filename):
        if frame.f_back is None:
            return ""
        frame = frame.f_back
    return f"{display_name(frame.f_code.co_filename)}:{frame.f_lineno}"


def user_level() -> int:
    """Give the `stacklevel` with which a warning names the same caller.

    Example:
        >>> user_level()
        1
    """
    frame = sys._getframe(1)
    level = 1
    while is_inside(frame.f_code.co_filename) and frame.f_back is not None:
        frame, level = frame.f_back, level + 1
    return level
