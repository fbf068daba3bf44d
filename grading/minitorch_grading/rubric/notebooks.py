"""Select the cells of a notebook that count: `%%writefile FILE`, or `# task 6.2`.

The last cell of a file or a task counts; others never run. Notebooks are .ipynb files
or .py files with cells `# %%`.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Cells", "cell_name", "cells_of_ipynb", "code_cells", "only_tasks"]

_TASK = re.compile(r"#\s*task\s+([A-Za-z0-9._-]+)\s*$", re.IGNORECASE)
_CELL = re.compile(r"# %%(?!%)")
_WRITES = re.compile(
    r"%%(?:writefile|file)\s+(?P<quote>['\"]?)(?P<file>.+?)(?P=quote)\s*$"
)
_MAGIC = re.compile(r"\s*(%|!|\?)")


@dataclass(frozen=True)
class Cells:
    """The text of a notebook's cells, and the cell of each of its lines."""

    text: str
    notebook: str
    starts: tuple[tuple[int, int], ...]  # the first line of a cell, the cell's number

    def position(self, file: str, line: int) -> tuple[str, int]:
        """Return the cell of a line of the text, and the line's number in it."""
        for start, cell in reversed(self.starts):
            if line >= start:
                return cell_name(self.notebook, cell), line - start + 1
        return file, line


def cell_name(notebook: str, cell: int) -> str:
    """Return the name of a cell in place of a file name.

    Args:
        notebook: File name.
        cell: From 1, words count, too.
    """
    return f"{notebook}, cell {cell}"


def task_of(text: str) -> str | None:
    """Return the task that a cell's first non-blank line names, or None."""
    for line in text.splitlines():
        if line.strip():
            match = _TASK.match(line.strip())
            return match[1] if match else None
    return None


def file_of(text: str) -> str | None:
    """Return the file that a cell writes, by its first non-blank line.

    Example:
        >>> file_of("%%writefile minitorch/fast_ops.py\\nx = 1")
        'minitorch/fast_ops.py'
        >>> file_of("%%writefile -a more.py\\nx = 1") is None  # it adds to a file
        True
    """
    for line in text.splitlines():
        if line.strip():
            match = _WRITES.match(line.strip())
            overwrites = match and not match["file"].startswith("-")
            return match["file"].removeprefix("./") if match and overwrites else None
    return None


def cells_of_ipynb(
    name: str, data: bytes, file: str, tasks: Sequence[str]
) -> Cells | str | None:
    """Return the cell that writes a file, or the cells of some tasks, in order.

    Returns:
        the cells, None if there are none, or a sentence on what is wrong.

    Example:
        >>> cells_of_ipynb("a.ipynb", b'{"cells": []}', "a.py", ["6.2"]) is None
        True
    """
    try:
        sources = code_cells(data)
    except ValueError:
        return f"{name} is not a notebook (format 4): save it again, then hand it in."
    last: dict[str, tuple[int, str]] = {}
    written: Cells | None = None
    for number, text in enumerate(sources, 1):
        if text is not None and file_of(text) == file:
            above, _, rest = text.partition("%%")
            body = rest.partition("\n")[2].rstrip("\n") + "\n"
            # The file's first line is the one below the magic, in the cell.
            written = Cells(body, name, ((-above.count("\n"), number),))
        elif text is not None and (task := task_of(text)) in tasks:
            last[str(task)] = (number, text)
    if written is not None:
        return written
    if not last:
        return None
    return _joined(name, [last[task] for task in tasks if task in last])


def code_cells(data: bytes) -> list[str | None]:
    """Return the text of each cell of a notebook, None for cells without code.

    Raises:
        ValueError: The file is no notebook.
    """
    try:
        cells = json.loads(data.decode("utf-8-sig"))["cells"]
        return [_source_of(cell) for cell in cells]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ValueError("[notebook] this is not a notebook of format 4.") from None


def _source_of(cell: Any) -> str | None:
    if cell["cell_type"] != "code":
        return None
    source = cell["source"]
    text = source if isinstance(source, str) else "".join(map(str, source))
    text.encode()  # ValueError: JSON can hold half a character, a text cannot
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _joined(name: str, cells: Sequence[tuple[int, str]]) -> Cells | str:
    lines: list[str] = []
    starts = []
    for number, text in cells:
        for row, line in enumerate(text.split("\n"), 1):
            if _MAGIC.match(line):
                return (
                    f"{name}, cell {number}, line {row} begins with "
                    f"{line.strip()[0]!r}; a cell that is judged is plain Python. Move "
                    "the magic into a cell of its own."
                )
        starts.append((len(lines) + 1, number))
        lines += [*text.split("\n"), ""]
    return Cells("\n".join(lines), name, tuple(starts))


def only_tasks(text: str, tasks: Sequence[str]) -> str:
    """Blank all cells of a percent notebook except the last cell of each task.

    Lines keep their numbers. A text without cells of these tasks stays as it is.

    Example:
        >>> only_tasks("# %%\\nx = 1\\n# %%\\n# task 6.2\\ny = 2\\n", ["6.2"])
        '\\n\\n\\n# task 6.2\\ny = 2\\n'
    """
    lines = text.split("\n")
    starts = [row for row, line in enumerate(lines) if _CELL.match(line)]
    bounds = itertools.pairwise([*starts, len(lines)])
    last = {}
    for start, end in bounds:
        task = task_of("\n".join(lines[start + 1 : end]))
        if task in tasks:
            last[task] = range(start + 1, end)
    if not last:
        return text
    kept = {row for cell in last.values() for row in cell}
    return "\n".join(line if row in kept else "" for row, line in enumerate(lines))
