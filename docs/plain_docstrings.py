"""How docstrings, which are plain text with `names`, become reStructuredText.

A Sphinx extension; it comes before napoleon, which reads `Args:` and the like.
"""

from __future__ import annotations

import re
from typing import Any

_NAME = re.compile(r"`+([^`]+)`+")
_MARKS = re.compile(r"([*|\\])")
_ARGUMENT = re.compile(r"\s*\*{1,2}\w+:")  # napoleon takes care of these


def rst(lines: list[str]) -> list[str]:
    """The same text for reStructuredText, line by line; examples stay as they are.

    Example:
        >>> rst(["`KernelError`s of |x| * 2"])
        ['``KernelError``\\\\ s of \\\\|x\\\\| \\\\* 2']
    """
    written, example = [], False
    for line in lines:
        example = bool(line.strip()) and (example or line.lstrip().startswith(">>>"))
        written.append(line if example or _ARGUMENT.match(line) else _plain(line))
    return written


def _plain(line: str) -> str:
    parts, end = [], 0
    for name in _NAME.finditer(line):
        parts += [_MARKS.sub(r"\\\1", line[end : name.start()]), f"``{name[1]}``"]
        end = name.end()
        if line[end : end + 1].isalnum():
            parts.append("\\ ")
    return "".join(parts) + _MARKS.sub(r"\\\1", line[end:])


def _process(app: Any, what: str, *rest: Any) -> None:
    lines = rest[-1]
    lines[:] = rst(lines)
    if what == "module":  # for who changes it; its page has words of its own
        lines.clear()
    elif what in ("property", "attribute", "data"):
        # Else napoleon takes the words before a colon for a type.
        lines.insert(0, "")


def setup(app: Any) -> dict[str, bool]:
    """Sphinx calls this."""
    app.connect("autodoc-process-docstring", _process, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
