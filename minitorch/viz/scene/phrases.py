"""How sentences count and list."""

from __future__ import annotations

from .drawing import number

_PLURALS = {"leaf": "leaves", "launch": "launches"}


def joined(parts: list[str]) -> str:
    """Words in a row.

    Example:
        >>> joined([]), joined(["a"]), joined(["a", "b", "c"])
        ('', 'a', 'a, b and c')
    """
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def capital(words: str) -> str:
    """A sentence's beginning."""
    return words[:1].upper() + words[1:]


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


def lines_in_words(lines: tuple[int, int]) -> str:
    """Lines of code as sentences name them.

    Example:
        >>> lines_in_words((6, 6)), lines_in_words((6, 8)), lines_in_words((0, 0))
        ('line 6', 'lines 6–8', 'code without a line')
    """
    first, last = lines
    if not last:
        return "code without a line"
    return f"line {first}" if first == last else f"lines {first}–{last}"


def mean_in_words(active: int, steps: int) -> str:
    """A mean number of threads: one decimal below 10, whole numbers above.

    Example:
        >>> mean_in_words(16, 1), mean_in_words(46, 10), mean_in_words(0, 0)
        ('16', '4.6', '0')
    """
    mean = active / steps if steps else 0
    return number(round(mean, 1) if mean < 9.95 else round(mean))


def duration(seconds: float) -> str:
    """A time with three digits.

    Example:
        >>> duration(37.8e-9), duration(1.5e-4), duration(0.2031), duration(0.0)
        ('37.8 ns', '150 µs', '203 ms', '0 ns')
    """
    for scale, unit in ((1e-9, "ns"), (1e-6, "µs"), (1e-3, "ms")):
        if seconds < 999.5 * scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds:.3g} s"
