"""`TranslationError`, for a Python function that cannot become a kernel."""

from __future__ import annotations

import ast
import types
from collections.abc import Sequence

from ..errors import CompileError
from ..tracebacks import cell_of


class TranslationError(CompileError):
    """Python code that has no meaning on the device.

    A `minitorch.cuda.CompileError`, so that one `except` catches both languages.

    Attributes:
        problem: The sentence without the place: `got ...; need ...`.
        file: Python file or notebook cell, or None.
        line: Line in that file, from 1, or None.

    Example:
        >>> print(TranslationError("got a list; need numbers."))
        [cuda] got a list; need numbers.
    """

    def __init__(
        self,
        problem: str,
        file: str | None = None,
        line: int | None = None,
        quoted: str = "",
    ) -> None:
        location = ""
        if file:
            cell = cell_of(file)
            heading = f"{cell}:{line}" if cell else f'File "{file}", line {line}'
            location = f"\n  {heading}\n{quoted}"
        super().__init__(f"[cuda] {problem}{location}")
        self.problem = problem
        self.file = file
        self.line = line


def nested_too_deeply(function: types.FunctionType) -> TranslationError:
    """Return the error of a function whose translation exceeds Python's stack."""
    return TranslationError(
        f"the expressions in {function.__qualname__!r} nest too deeply. Assign parts "
        "of them to variables."
    )


def excerpt(lines: Sequence[str], node: ast.AST) -> str:
    """Quote the line of `node` with carets under it, as Python's tracebacks do."""
    line = getattr(node, "lineno", 1)
    text = lines[line - 1].rstrip("\n") if line <= len(lines) else ""
    begin = _characters(text, getattr(node, "col_offset", 0))
    end = len(text)
    if getattr(node, "end_lineno", line) == line:
        end = _characters(text, getattr(node, "end_col_offset", 0))
    bare = text.lstrip()
    carets = " " * (begin - len(text) + len(bare)) + "^" * max(1, end - begin)
    return f"    {bare}\n    {carets}"


def _characters(text: str, utf8_offset: int) -> int:
    # ast counts columns in UTF-8 bytes.
    return len(text.encode()[:utf8_offset].decode(errors="ignore"))
