"""Owns how sentences count and list. Must not know what they are about."""

from __future__ import annotations

from .drawing import number

_PLURALS = {"leaf": "leaves"}


def joined(parts: list[str]) -> str:
    """Words in a row.

    Example:
        >>> joined([]), joined(["a"]), joined(["a", "b", "c"])
        ('', 'a', 'a, b and c')
    """
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def plural(noun: str) -> str:
    """More than one of it.

    Example:
        >>> plural("cell"), plural("pass"), plural("leaf")
        ('cells', 'passes', 'leaves')
    """
    return _PLURALS.get(noun, noun + ("es" if noun.endswith("s") else "s"))


def counted(count: int, noun: str) -> str:
    """A number and its noun.

    Example:
        >>> counted(1, "sector"), counted(2, "pass"), counted(1024, "cell")
        ('1 sector', '2 passes', '1,024 cells')
    """
    return f"{number(count)} {noun if count == 1 else plural(noun)}"
