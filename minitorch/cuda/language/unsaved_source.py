"""Find the source of functions outside files: `python -c`, stdin, the prompt.

From Python 3.13 on, Python keeps what is given with -c or typed at the prompt. Before,
it is looked for here, and believed only if it compiles to the function's very code.
"""

from __future__ import annotations

import os
import re
import sys
import types
from collections.abc import Iterator

# An unindented line that belongs to the block before it.
_CONTINUES = re.compile(r"(else|elif|except|finally)\b|[)\]}]")
_INLINE = re.compile(r"-[a-zA-Z]*?c", re.ASCII)


def unsaved_lines(code: types.CodeType) -> list[str] | None:
    """Return the lines of the text that defines a function, or None.

    Args:
        code: The function's; its line numbers are those of the text.
    """
    if code.co_filename == "<string>":
        texts = _given_with_c()
    elif code.co_filename == "<stdin>":
        texts = _typed() if hasattr(sys, "ps1") else _redirected()
    else:
        return None
    for text in texts:
        if _defines(text, code):
            return text.splitlines(keepends=True)
    return None


def how_to_keep(code: types.CodeType) -> str:
    """Return advice for code whose source text is not available."""
    if code.co_filename == "<stdin>":
        return (
            "Run a file, or use -c: Python does not keep source that comes through a "
            "pipe."
        )
    return "Save it in a file and import it."


def _defines(text: str, code: types.CodeType) -> bool:
    """Return whether the text defines a function with this code object."""
    try:
        pending = [compile(text, code.co_filename, "exec", dont_inherit=True)]
    except (SyntaxError, ValueError):
        return False
    while pending:
        candidate = pending.pop()
        if candidate == code:
            return True
        pending += [
            part for part in candidate.co_consts if isinstance(part, types.CodeType)
        ]
    return False


def _given_with_c() -> Iterator[str]:
    """Yield candidates for the text after -c: the words before `sys.argv[1:]`."""
    for word in reversed(sys.orig_argv[1:]):
        yield word
        glued = _INLINE.match(word)
        if glued:
            yield word[glued.end() :]


def _redirected() -> Iterator[str]:
    """Yield the file on standard input, read again from its start; a pipe cannot be."""
    try:
        size = os.fstat(0).st_size
        yield os.pread(0, size, 0).decode()
    except (OSError, UnicodeDecodeError, AttributeError):
        return


def _typed() -> Iterator[str]:
    """Yield blocks of the prompt's history that may hold it, latest first."""
    readline = sys.modules.get("readline")
    if readline is None:
        return
    history = [
        readline.get_history_item(number) or ""
        for number in range(1, readline.get_current_history_length() + 1)
    ]
    last = len(history)  # where the block ends: at the next line that begins one
    for first in range(len(history) - 1, -1, -1):
        if history[first][:1].isspace() or _CONTINUES.match(history[first]):
            continue
        if first and history[first - 1].startswith("@"):
            continue
        yield "\n".join(history[first:last]) + "\n"
        last = first
