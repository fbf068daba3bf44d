"""The lines of a student's files that a page quotes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from ...rubric.handed_in import texts_of

AROUND = 3  # lines above and below a finding
NEAR = 15  # lines to a race's second access, that both are quoted

#: The lines of each file, by its declared name, and of each cell of a notebook.
Sources = Mapping[str, list[str]]


def read_sources(submission: Path, files: Iterable[str]) -> dict[str, list[str]]:
    """The lines of the files that count, where the judge finds them.

    Args:
        submission: what was handed in: a folder, a zip or a notebook.
        files: as the assignment names them.

    Returns:
        What could be read, of notebooks each cell of code: a file that is missing or
        too large is left out.
    """
    found = texts_of(submission, tuple(files))
    return {name: _lines(data) for name, data in found.items()}


def _lines(data: bytes) -> list[str]:
    """Lines as Python counts them: a form feed ends none."""
    text = data.decode("utf-8-sig", "replace")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.removesuffix("\n").split("\n") if text else []


def lines_of(sources: Sources, file: str | None) -> list[str]:
    """The lines of a file that a finding names, with or without its folder."""
    if not file:
        return []
    for name, lines in sources.items():
        if PurePosixPath(name).name == PurePosixPath(file).name:
            return lines
    return []


def quoted(sources: Sources, findings: Iterable[Mapping[str, Any]]) -> dict[int, str]:
    """The lines that findings name, by their numbers."""
    found: dict[int, str] = {}
    for finding in findings:
        lines = lines_of(sources, finding.get("file"))
        number = finding.get("line") or 0
        if 0 < number <= len(lines):
            found[number] = lines[number - 1]
    return found


def around(
    sources: Sources, finding: Mapping[str, Any], other: int | None = None
) -> list[tuple[int, str]]:
    """A finding's line and some above and below it, with their numbers.

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
    return [(each, lines[each - 1][:200]) for each in range(first, last + 1)]
