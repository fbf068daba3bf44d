"""Small handed-in trees for tests of the grader's processes."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path

import pytest

from minitorch_grading.sandbox.levels import missing

LEVELS = ("confined", "uid", "process")


def needs(level: str) -> pytest.MarkDecorator:
    """Skips a test where this machine cannot give `level`, and says why."""
    reason = missing(level)
    return pytest.mark.skipif(bool(reason), reason=reason)


def at_levels(*levels: str) -> pytest.MarkDecorator:
    """Runs a test at each of `levels`."""
    marked = [pytest.param(level, marks=needs(level)) for level in levels or LEVELS]
    return pytest.mark.parametrize("level", marked)


def write_tree(folder: Path, files: dict[str, str]) -> Path:
    """Writes texts, without their common indentation, below `folder`."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
    return folder


def children() -> set[int]:
    """Numbers of this process's children that are alive or not waited for."""
    found = set()
    for number in processes():
        try:
            text = Path(f"/proc/{number}/stat").read_text(encoding="utf-8")
        except OSError:  # it has just ended
            continue
        if int(text.rpartition(")")[2].split()[1]) == os.getpid():
            found.add(number)
    return found


def processes() -> set[int]:
    """Numbers of all processes that run now."""
    return {int(name) for name in os.listdir("/proc") if name.isdigit()}
