"""Lines of source code that a view is about: of the caller, or of the file itself."""

from __future__ import annotations

import linecache
import os
import re
import textwrap
from collections.abc import Collection
from typing import Any

_MOST_LINES = 26
_AROUND = 4
# How the names of files that hold code end.
_CODE = (".py", ".cu", ".cuh", ".h", ".hh", ".hpp", ".inl", ".c", ".cc", ".cpp", ".ptx")
_DEF = re.compile(r"\s*(?:async\s+)?def\s")
_DECORATOR = re.compile(r"\s*@")
KEYWORDS = (
    r"\b(?:def|for|in|while|if|else|elif|range|return|void|int|float|const|"
    r"__syncthreads|__global__|__shared__|__device__)\b"
)


def lines_of(source: Any, file: str, own: str = "") -> list[str]:
    """Lines of code: of a text, of a kernel with `code`, or of the file.

    Args:
        source: What the user gave, or None.
        file: Where the lines are; read if there is one and it is code by its name.
        own: What the launch knows of its text, for lines that are in no file.

    Raises:
        TypeError: Neither a text nor a kernel.
    """
    if source is None:
        return _lines_on_disk(file) or own.splitlines()
    text = getattr(source, "code", source)
    if not isinstance(text, str):
        raise TypeError(
            f"[viz] got source {type(source).__name__}; need the kernel's source code, "
            "or a cuda.RawKernel."
        )
    return text.splitlines()


def _lines_on_disk(file: str) -> list[str]:
    """Lines of a file of code; PTX may name any other of the host's, too."""
    if not os.path.isabs(file) or not file.lower().endswith(_CODE):
        return []
    return linecache.getlines(file)


def _end_of(lines: list[str], start: int) -> int:
    """The last line of the Python function whose `def` is on a line."""

    def indent(text: str) -> int:
        return len(text.expandtabs()) - len(text.expandtabs().lstrip())

    end = start
    for at, text in enumerate(lines[start:], start + 1):
        words = text.strip()
        if words and indent(text) <= indent(lines[start - 1]):
            if not words.startswith((")", "#")):
                break
        elif words:
            end = at
    return end


def _functions(lines: list[str], wanted: list[int]) -> tuple[int, int]:
    """First and last line of the Python functions with these lines; else of all."""
    starts = [at for at, text in enumerate(lines, 1) if _DEF.match(text)]
    owners = set()
    for line in wanted:
        if _DECORATOR.match(lines[line - 1]):
            owners.add(min((at for at in starts if at > line), default=0))
        else:
            owners.add(max((at for at in starts if at <= line), default=0))
    if 0 in owners:
        return 1, len(lines)
    first = min(owners)
    while first > 1 and _DECORATOR.match(lines[first - 2]):
        first -= 1
    return first, max(max(wanted), *(_end_of(lines, at) for at in owners))


def shown_lines(lines: list[str], wanted: list[int]) -> list[int]:
    """Numbers of the lines to draw: a short function, a short text, else those around.

    Args:
        lines: Of the whole text; without one, the wanted lines are drawn.
        wanted: Numbers of the lines that the view is about, in order.
    """
    if not wanted or wanted[-1] > len(lines):
        return wanted
    first, last = _functions(lines, wanted)
    if last - first < _MOST_LINES:
        return list(range(first, last + 1))
    shown: set[int] = set()
    for line in wanted:
        shown |= set(range(line - _AROUND, line + _AROUND + 1))
    return sorted(each for each in shown if first <= each <= last)[:_MOST_LINES]


def texts_of(lines: list[str], shown: Collection[int]) -> list[str]:
    """Lines as they are drawn, without the blanks that all of them begin with.

    Args:
        lines: Of the whole text.
        shown: Numbers of the lines to draw; each is "" where the text has not all.
    """
    if not lines or not shown or max(shown) > len(lines):
        return [""] * len(shown)
    own = [lines[at - 1].rstrip().expandtabs(4) for at in shown]
    return textwrap.dedent("\n".join(own)).split("\n")


def comment_of(texts: list[str]) -> str:
    """What begins a comment in the language of these lines."""
    return "//" if any(text.endswith((";", "{", "}")) for text in texts) else "#"
