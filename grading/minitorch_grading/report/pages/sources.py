"""Lines of a student's files that a page quotes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

AROUND = 3  # lines above and below a finding
NEAR = 15  # lines to a race's second access, that both are quoted

#: The lines of each file and of each cell that holds one, as `HandedIn.lines` has them.
Sources = Mapping[str, list[str]]


def lines_of(sources: Sources, file: str | None) -> list[str]:
    """Return the lines of a file that a finding names, with or without its folder."""
    if not file:
        return []
    for name, lines in sources.items():
        if PurePosixPath(name).name == PurePosixPath(file).name:
            return lines
    return []


def around(
    sources: Sources, finding: Mapping[str, Any], other: int | None = None
) -> list[tuple[int, str]]:
    """Return a finding's line and its neighbours, with their numbers.

    `other`: a second line of the same file, which is shown too if it is near.
    """
    lines = lines_of(sources, finding.get("file"))
    number = finding.get("line") or 0
    if not 0 < number <= len(lines):
        return []
    ends = {number}
    if other is not None and 0 < other <= len(lines) and abs(other - number) <= NEAR:
        ends.add(other)
    first = max(1, min(ends) - AROUND)
    last = min(len(lines), max(ends) + AROUND)
    return [(index, lines[index - 1][:200]) for index in range(first, last + 1)]
