"""How many lines of a kernel a student has changed. Must not run what it reads.

Comments, docstrings, empty lines and white space count nothing, in Python neither where
lines are broken. A line that was replaced counts once; one that was moved counts twice.
"""

from __future__ import annotations

import ast
import difflib
import re

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def changed(given: list[str], mended: list[str]) -> int:
    """How many lines differ.

    Example:
        >>> changed(["a", "b"], ["a", "c", "d"])
        2
    """
    blocks = difflib.SequenceMatcher(None, given, mended, False).get_opcodes()
    return sum(max(b - a, d - c) for tag, a, b, c, d in blocks if tag != "equal")


def lines_of_kernel(text: str, name: str) -> list[str]:
    """The lines of a Python function, and of functions of the file that it calls.

    Of a file without such a function, or one that Python's own tools cannot read, all
    lines: whoever defines the kernel otherwise has changed more than a few.
    """
    try:
        functions = {
            node.name: node
            for node in ast.parse(text).body
            if isinstance(node, ast.FunctionDef)
        }
        wanted = [name]
        for each in wanted:
            nodes = ast.walk(functions[each])
            called = {node.id for node in nodes if isinstance(node, ast.Name)}
            wanted += sorted((called & functions.keys()) - set(wanted))
        return [line for each in wanted for line in _lines(functions[each])]
    except (SyntaxError, ValueError, KeyError, RecursionError, MemoryError):
        return text.splitlines()


def _lines(function: ast.FunctionDef) -> list[str]:
    if ast.get_docstring(function) is not None:
        function.body = function.body[1:] or [ast.Pass()]
    return [line.strip() for line in ast.unparse(function).splitlines()]


def lines_of_cuda(text: str) -> list[str]:
    """The lines of CUDA C++ without comments, each without its white space."""
    plain = _COMMENT.sub(" ", text.replace("\r\n", "\n"))
    lines = (re.sub(r"\s+", "", line) for line in plain.splitlines())
    return [line for line in lines if line]
