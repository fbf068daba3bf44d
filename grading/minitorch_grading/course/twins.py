"""Wrong twins: parse their first line, and build the file with the mistake.

A twin stands for a mistake that students make. Those of edits.txt are lines to replace
in the solution; any other file is a whole one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ..errors import AssignmentError

EDITS = "edits.txt"
_FIRST = re.compile(r"(?:#|//|== \w+:)\s*(\S+) fails ([^:]+):\s*(\S.*)")
_KIND = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True)
class Twin:
    """A file of `twins/`, or a part of its edits.txt.

    Attributes:
        path: Where it lies.
        line: Its first line there.
        name: The file's name, in edits.txt its own.
        file: The student's file that it stands for.
        rows: All rows that lose points, in the order that it names them; none of one
            that `fails nothing`, of which a note is told.
        kinds: Findings or outcomes to expect, a kind of docs/checks.md or an outcome.
        text: Its whole text.
    """

    path: Path
    line: int
    name: str
    file: str
    rows: tuple[str, ...]
    kinds: tuple[str, ...]
    text: str


def read_twins(path: Path) -> list[Twin]:
    """Read the twins of a file: several of edits.txt, one of any other.

    The first line of each is `# cuda_ops.py fails 3.3-zip.clean: race_global`; in
    edits.txt `== zip_race: cuda_ops.py fails 3.3-zip.clean: race_global`.

    Raises:
        AssignmentError: The line says something else.

    Example:
        >>> [twin.kinds for twin in read_twins(Path("wrong.py"))]  # doctest: +SKIP
        [('race_global',)]
    """
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError as error:
        words = f"got bytes that are no UTF-8 ({error.reason}); need text."
        raise AssignmentError(words, f"{path}:1") from None
    if path.name != EDITS:
        return [_read(path, 1, path.name, text)]
    return [
        _read(path, text.count("\n", 0, head.start()) + 1, head[1], head[0])
        for head in re.finditer(r"^== (\w*)(?:(?!^== ).)*", text, re.M | re.S)
    ]


def _read(path: Path, line: int, name: str, text: str) -> Twin:
    first = text.partition("\n")[0].strip()
    match = _FIRST.fullmatch(first)
    position = f"{path}:{line}"
    if match is None:
        raise AssignmentError(
            f"cannot read {first!r}; need the file, rows and kind, as in: # "
            "minitorch/cuda_ops.py fails 3.3-zip.clean, 3.3-zip.cost: race_global",
            position,
        )
    rows, kinds = _names(match[2]), _names(match[3])
    if not rows or not kinds or not all(map(_KIND.fullmatch, kinds)):
        need = "need rows before the colon and kinds behind it, with commas between."
        raise AssignmentError(f"got {first!r}; {need}", position)
    if path.name != EDITS and Path(match[1]).suffix != path.suffix:
        raise AssignmentError(
            f"got a {path.suffix} file for {match[1]}; need one ending.", position
        )
    rows = () if rows == ("nothing",) else rows
    return Twin(path, line, name, match[1], rows, kinds, text)


def _names(words: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in words.split(",") if word.strip())


def twins_of(assignment: Path) -> list[Twin]:
    """Return all twins of an assignment's folder, by file.

    Raises:
        AssignmentError: One of them has a wrong first line.
    """
    paths = sorted((assignment / "twins").glob("**/*"))
    files = [p for p in paths if p.name == EDITS or p.suffix in (".py", ".cu", ".cuh")]
    return [twin for path in files for twin in read_twins(path)]


def _edited(twin: Twin, solution: str) -> str:
    """Return the solution with the lines after `-` replaced by those after `+`.

    An empty line separates edits; lines behind a space stay, and tell one place from
    another.
    """
    lines = solution.splitlines()
    for edit in re.finditer(r"(?:^[-+ ].*\n)+", twin.text, re.MULTILINE):
        changed = [(line[0], line[1:]) for line in edit[0].splitlines()]
        old = [line for sign, line in changed if sign != "+"]
        starts = range(len(lines) - len(old) + 1)
        places = [start for start in starts if lines[start : start + len(old)] == old]
        if len(places) != 1:
            line = twin.line + twin.text.count("\n", 0, edit.start())
            raise AssignmentError(
                f"the lines occur {len(places)} times in the solution's {twin.file}; "
                "they must occur exactly once.",
                f"{twin.path}:{line}",
            )
        new = [line for sign, line in changed if sign != "-"]
        lines[places[0] : places[0] + len(old)] = new
    return "\n".join(lines) + "\n"


def overlay(twin: Twin, solution: str) -> str:
    """Return the file that a student with this mistake would hand in.

    Args:
        twin: By `read_twins`.
        solution: The solution's text of `twin.file`, without marks.

    Raises:
        AssignmentError: It replaces lines that the solution has not, or several times.
    """
    return _edited(twin, solution) if twin.path.name == EDITS else twin.text
