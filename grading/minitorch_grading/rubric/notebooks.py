"""Find the cell of a notebook that writes a file: the last with `%%writefile FILE`.

Cells are never run.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

_WRITES = re.compile(
    r"\s*%%(?:writefile|file)\s+(?P<quote>['\"]?)(?:\./)?(?P<file>[^-\s].*?)(?P=quote)"
    r"[ \t]*\n"
)


@dataclass(frozen=True)
class Cell:
    """A cell that holds a file.

    Attributes:
        title: Stands for the file's name in messages: "lab.ipynb, cell 3".
        source: All of the cell.
        head: Its lines down to the magic; the file is the rest.
    """

    title: str
    source: str
    head: str

    @property
    def text(self) -> str:
        """The file's text."""
        return self.source[len(self.head) :].rstrip("\n") + "\n"

    def position(self, line: int) -> tuple[str, int]:
        """Return where a line of the file is: the title, and the line in the cell."""
        return self.title, self.head.count("\n") + line


def cell_of(name: str, data: bytes, file: str) -> Cell | None:
    """Return the last cell that writes a file; None if there is none.

    Args:
        name: The notebook's, for titles.
        data: Its bytes.
        file: As the magic names it.

    Raises:
        ValueError: The notebook is none of format 4.

    Example:
        >>> cell = {"cell_type": "code", "source": "%%writefile a.py\\nx = 1"}
        >>> book = json.dumps({"cells": [cell]}).encode()
        >>> cell_of("lab.ipynb", book, "a.py").text
        'x = 1\\n'
    """
    try:
        cells = json.loads(data.decode("utf-8-sig"))["cells"]
        sources = ["".join(c["source"]) * (c["cell_type"] == "code") for c in cells]
        "".join(sources).encode()  # JSON can hold half a character, a text cannot
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ValueError(
            f"{name} is not a notebook (format 4): save it again, then hand it in."
        ) from None
    for number, source in reversed([*enumerate(sources, 1)]):
        text = source.replace("\r\n", "\n").replace("\r", "\n")
        magic = _WRITES.match(f"{text}\n")
        if magic is not None and magic["file"] == file:
            return Cell(f"{name}, cell {number}", text, magic[0])
    return None
