"""Owns keeping variables of type bool in builds for debuggers.

NVRTC tells debuggers nothing of them, unless they are volatile. Must not know kernels.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from ..errors import CompileError

_Compiled = TypeVar("_Compiled")

# Statements that declare one; `item0` is a member of what a tuple of Python became.
_DECLARED = re.compile(r"((?:^|[;{}])\s*)bool(\s+(?!item\d+;)\w+\s*[=;])", re.MULTILINE)


def with_bools(code: str, compile_: Callable[[str], _Compiled]) -> _Compiled:
    """Compile code with its variables of type bool kept in memory.

    Args:
        code: CUDA C++.
        compile_: Compiles a text; called a second time with the code as it is where the
            changed one has no meaning, as for a struct with such a member.

    Example:
        >>> with_bools("void f() { bool odd = i & 1; const bool even = !odd; }", str)
        'void f() { volatile bool odd = i & 1; const bool even = !odd; }'
    """
    changed = _DECLARED.sub(r"\1volatile bool\2", code)
    if changed == code:
        return compile_(code)
    try:
        return compile_(changed)
    except CompileError:
        return compile_(code)
