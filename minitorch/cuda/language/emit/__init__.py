"""Targets of the typed form: CUDA C++, and the CPU's flat program.

`cuda` writes whole texts by the rules of `expressions` and `statements`, which `writer`
has in tables; importing any module here fills them.
"""

from . import cuda, expressions, statements

__all__ = ["cuda", "expressions", "statements"]
