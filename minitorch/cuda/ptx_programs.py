"""Owns whether two texts of PTX are one program, but for checks of indices.

Must not know kernels.
"""

from __future__ import annotations

import re

__all__ = ["same_program"]

_COMMENT = re.compile(r"//[^\n]*")
_SKIPPED = re.compile(r"\.(?:loc|file|reg|section|b8|b32|b64)\b|\$L__info|[{}]?$")
_REGISTER = re.compile(r"%[a-z]+\d+")
_LABEL = re.compile(r"\$L\w+")
_WRITES = re.compile(r"(?:@!?%p\d+ )?[a-z][\w.]*\s+(%[a-z]+\d+), ")
_KEPT = ("st", "red", "atom", "bar", "call", "ld.global", "ld.shared", "shfl", "vote")


def same_program(checked: str, plain: str) -> bool:
    """Say whether both texts do the same, instruction by instruction.

    Args:
        checked: PTX with checks of indices, which are comments, and with what only
            they need.
        plain: PTX without.

    Example:
        >>> plain = "mov.u32 %r1, %tid.x;\\n st.global.u32 [%rd1], %r1;"
        >>> checked = "mov.u32 %r7, %tid.x;\\n mov.u32 %r8, 16;\\n // index %r7, %r8\\n"
        >>> same_program(checked + " st.global.u32 [%rd3], %r7;", plain)
        True
        >>> same_program(checked + " st.global.u32 [%rd3], %r8;", plain)
        False
    """
    return _canonical(checked) == _canonical(plain)


def _canonical(text: str) -> list[str]:
    """The instructions, with registers and labels numbered as they come."""
    lines = [line.strip() for line in _COMMENT.sub("", text).splitlines()]
    kept = _without_unused([line for line in lines if not _SKIPPED.match(line)])
    names: dict[str, str] = {}

    def name(found: re.Match[str]) -> str:
        kind = found[0].rstrip("0123456789_")
        return names.setdefault(found[0], f"{kind}:{len(names)}")

    return [_LABEL.sub(name, _REGISTER.sub(name, line)) for line in kept]


def _without_unused(lines: list[str]) -> list[str]:
    """Leave out what computes values that nothing uses: compilers leave none."""
    while True:
        uses: dict[str, int] = {}
        for line in lines:
            for register in set(_REGISTER.findall(line)):
                uses[register] = uses.get(register, 0) + len(
                    re.findall(re.escape(register) + r"\b", line)
                )
        left = []
        for line in lines:
            written = _WRITES.match(line)
            if not written or uses[written[1]] > 1 or line.startswith(_KEPT):
                left.append(line)
        if len(left) == len(lines):
            return left
        lines = left
