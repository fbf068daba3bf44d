"""Owns the lines of a student's files that a page quotes. Must not run or unpack."""

from __future__ import annotations

import contextlib
import os
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from ...rubric.notebooks import cell_name, code_cells

BYTES = 1_000_000  # of one file that are read
NOTEBOOK_BYTES = 16 << 20  # of a notebook: its pictures lie inside
AROUND = 3  # lines above and below a finding
NEAR = 15  # lines to a race's second access, that both are quoted

#: The lines of each file, by its declared name, and of each cell of a notebook.
Sources = Mapping[str, list[str]]


def read_sources(submission: Path, files: Iterable[str]) -> dict[str, list[str]]:
    """The lines of the files that count, from a folder or a zip; links are not read.

    Args:
        submission: what was handed in: a folder, a zip or a notebook.
        files: as the assignment names them; each is found by name or in a folder.

    Returns:
        What could be read: a file that is missing or too large is left out.
    """
    texts: dict[str, list[str]] = {}
    for name in files:
        try:
            data = _read(submission, name)
        except (OSError, ValueError, zipfile.BadZipFile, RuntimeError, KeyError):
            continue
        texts[name] = data.decode("utf-8-sig", "replace").splitlines()
    with contextlib.suppress(
        OSError, ValueError, zipfile.BadZipFile, RuntimeError, KeyError
    ):
        for name in _notebooks(submission):
            cells = code_cells(_read(submission, name, NOTEBOOK_BYTES))
            for number, text in enumerate(cells, 1):
                if text is not None:
                    named = cell_name(PurePosixPath(name).name, number)
                    texts[named] = text.splitlines()
    return texts


def _notebooks(submission: Path) -> Iterator[str]:
    if submission.is_dir():
        for path in sorted(submission.rglob("*.ipynb")):
            yield path.relative_to(submission).as_posix()
        return
    if submission.suffix.lower() == ".ipynb":
        yield f"{submission.stem}.ipynb"
        return
    with zipfile.ZipFile(submission) as archive:
        yield from (each for each in archive.namelist() if each.endswith(".ipynb"))


def _read(submission: Path, name: str, most: int = BYTES) -> bytes:
    if submission.is_dir():
        for path in (submission / name, submission / PurePosixPath(name).name):
            if path.is_file() and not path.is_symlink():
                descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
                with open(descriptor, "rb") as stream:
                    return stream.read(most)
        raise KeyError(name)
    if submission.suffix.lower() == ".ipynb" and name == f"{submission.stem}.ipynb":
        with open(submission, "rb") as stream:
            return stream.read(most)
    with zipfile.ZipFile(submission) as archive:
        for member in archive.namelist():
            if member == name or member.endswith(f"/{name}"):
                with archive.open(member) as stream:
                    return stream.read(most)
    raise KeyError(name)


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
