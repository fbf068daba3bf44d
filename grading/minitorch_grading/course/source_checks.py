"""Static checks of an assignment's files, without judging anything.

Marks, tests, twins, points, leaks: each problem names its file and place.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from minitorch_cuda.cuda.errors import KINDS

from ..errors import AssignmentError
from ..report.advice import OUTCOMES
from . import markup
from .sources import Source, files_below, read_source, text_of
from .student_pages import marker_of
from .trees import Tree, sources_tree, student_tree, twin_tree
from .twins import EDITS, Twin, read_twins

_LEAK = 20  # characters, without the white space around a line
_HEAD = re.compile(r"\s*(async def|def|class|extern|template|__\w+__)\b")
_MADE = ("assignment.toml", "README.md")  # made from what students may read
_IMPORT = re.compile(r"(from\s+\S+\s+)?import\s|#include\s")


@dataclass(frozen=True)
class Problem:
    """A fault of an assignment: its position and what is needed instead."""

    position: str
    words: str

    def __str__(self) -> str:
        return f"{self.position}: {self.words}"


def problems_of(folder: Path, also: tuple[Path, ...] = ()) -> list[Problem]:
    """Return all problems of an assignment's files.

    Args:
        folder: The assignment's.
        also: Where earlier assignments are looked for, too.

    Returns:
        problems in the order of the files; empty: none.

    Example:
        >>> problems_of(Path("assignments/m3"))  # doctest: +SKIP
        []
    """
    try:
        source = read_source(folder, also)
        trees = [sources_tree(source, "solution"), student_tree(source, "starter")]
    except AssignmentError as error:
        return [Problem(error.position or "assignment", error.words)]
    return list(_Checks(source, *trees).all())


class _Checks:
    """Checks of one assignment; each yields problems."""

    def __init__(self, source: Source, solution: Tree, starter: Tree) -> None:
        self.source, self.assignment = source, source.assignment
        self.solution, self.starter = solution, starter
        self.twins: list[Twin] = []

    def all(self) -> Iterator[Problem]:
        yield from self.files()
        yield from self.public_tests()
        yield from self.every_twin()
        yield from self.rows_without_twin()
        yield from self.leaks()

    def label(self, path: Path, line: int = 0) -> str:
        name = path.relative_to(self.source.folder).as_posix()
        return f"{self.source.folder.name}/{name}{f':{line}' if line else ''}"

    def problem(self, error: AssignmentError) -> Problem:
        position = Path(error.position).relative_to(self.source.folder.parent)
        return Problem(position.as_posix(), error.words)

    def toml(self) -> str:
        return f"{self.source.folder.name}/assignment.toml"

    def files(self) -> Iterator[Problem]:
        for name in self.assignment.files:
            if name not in self.solution:
                words = f"got files = [{name!r}]; need that file in source/"
                yield Problem(self.toml(), f"{words}, or in an earlier assignment's.")
        for name, data in self.starter.items():
            for number, line in enumerate(data.splitlines(), 1):
                if name not in _MADE and b"BEGIN SOLUTION" in line:
                    words = "got a mark in a file that is copied as it is; need marks"
                    position = f"starter/{name}:{number}"
                    yield Problem(position, f"{words} in .py and .cu files of source/.")

    def public_tests(self) -> Iterator[Problem]:
        texts = {
            name.removeprefix("tests/"): data.decode("utf-8", "replace")
            for name, data in self.starter.items()
            if name.startswith("tests/") and name.endswith(".py")
        }
        for item in self.assignment.items:
            for public in item.public:
                file, _, test = public.partition("::")
                name = test.rpartition("::")[2].partition("[")[0]  # "": the whole file
                if f"def {name}" not in texts.get(file, ""):
                    words = f"got {item.id}: public = [{public!r}]; need a test in"
                    yield Problem(self.toml(), f"{words} tests/, as FILE::TEST.")
        for task in self.assignment.tasks:
            marker = marker_of(task.id)
            either = rf"mark\.(task|test){re.escape(marker.removeprefix('test'))}\b"
            if not re.search(either, str(texts)) and not self.is_manual(task.id):
                words = f"got no public test of task {task.id}; need one in tests/"
                yield Problem(self.toml(), f"{words} with @pytest.mark.{marker}.")

    def is_manual(self, task: str) -> bool:
        return all(item.manual for item in self.assignment.items if item.task == task)

    def every_twin(self) -> Iterator[Problem]:
        rows = {row.id for row in self.assignment.rows}
        for _, path in files_below(self.source.folder / "twins"):
            try:
                twins = read_twins(path)
                for twin in twins:
                    twin_tree(self.source, twin)
            except AssignmentError as error:
                yield self.problem(error)
                continue
            self.twins += twins
            for twin in twins:
                yield from self.one_twin(twin, rows)

    def one_twin(self, twin: Twin, rows: set[str]) -> Iterator[Problem]:
        position = self.label(twin.path, twin.line)
        if twin.file not in self.assignment.files:
            files = ", ".join(self.assignment.files)
            yield Problem(position, f"got the file {twin.file}; need one of: {files}.")
        for row in twin.rows:
            if row not in rows:
                need = f"need rows of {self.toml()}{_nearest(row, rows)}"
                yield Problem(position, f"got the row {row}; {need}.")
        for kind in twin.kinds:
            if kind not in KINDS and kind not in OUTCOMES:
                need = "need a kind of docs/checks.md or an outcome"
                nearest = _nearest(kind, {*KINDS, *OUTCOMES})
                yield Problem(position, f"got the kind {kind}; {need}{nearest}.")
        if not re.search(r"(?:#|//)\s*wrong\b", twin.text):
            sign = "#" if twin.file.endswith(".py") else "//"
            words = f"got no faulty line; need one or more that end in '{sign} wrong:"
            yield Problem(position, f"{words} why'.")

    def rows_without_twin(self) -> Iterator[Problem]:
        """Yield rows that no twin loses first, before all other rows of the item."""
        first = {
            next((row.id for row in item.rows if row.id in twin.rows), "")
            for twin in self.twins
            for item in self.assignment.items
        }
        for item in self.assignment.items:
            for row in () if item.manual else item.rows:
                if row.id not in first:
                    words = f"got no twin that fails {row.id}"
                    stages = " and nothing of its item before it" if row.stage else ""
                    yield Problem(self.toml(), f"{words}{stages}; need one in twins/.")

    def leaks(self) -> Iterator[Problem]:
        hidden: dict[str, list[_Hidden]] = {}
        for secret in self.hidden_lines():
            hidden.setdefault(secret.text, []).append(secret)
        for name, data in self.starter.items():
            if name in _MADE:
                continue
            for number, part, line in _by_part(data.decode("utf-8", "replace")):
                # What students are given in one function may help in another.
                for secret in hidden.get(line, ()):
                    if secret.file != name or secret.part == part:
                        words = (
                            f"got a line of {secret.position} in the starter: {line!r}"
                        )
                        position = f"starter/{name}:{number}"
                        yield Problem(position, f"{words}; need it gone.")
                        break

    def hidden_lines(self) -> Iterator[_Hidden]:
        """Yield the lines that no student may read."""
        sources = {
            name: text_of(path)
            for name, path in files_below(self.source.folder / "source")
            if markup.is_marked(name)
        }
        public = self.public_lines(sources)
        source_lines = _stripped(*sources.values())
        for folder in ("source", "twins", "graded"):
            for name, path in files_below(self.source.folder / folder):
                if folder == "source" and not markup.is_marked(name):
                    continue
                text = path.read_bytes().decode("utf-8", "replace")
                file = ""
                given: set[str] = set()
                secret: Container[int] = range(text.count("\n") + 2)
                if folder == "source":
                    file, given = name, public
                    secret = [number for number, _ in markup.secret_lines(text, name)]
                elif folder == "twins" or path.name == EDITS:
                    given = public | source_lines  # the rest of a twin
                    if path.name == EDITS:
                        text = re.sub(r"(?m)^(?:\+|[^+].*)", "", text)
                for number, part, line in _by_part(text):
                    long = len(line) >= _LEAK and not _IMPORT.match(line)
                    if long and line not in given and number in secret:
                        yield _Hidden(line, self.label(path, number), file, part)

    def public_lines(self, sources: dict[str, str]) -> set[str]:
        """Return lines that students have: of STARTERs and earlier assignments."""
        blocks = (
            part.starter or ()
            for name, text in sources.items()
            for part in markup.read(text, name)
            if isinstance(part, markup.Block)
        )
        earlier = (
            data.decode("utf-8", "replace")
            for source in self.source.earlier
            for data in sources_tree(source, "solution").values()
        )
        return _stripped(*earlier, *map("\n".join, blocks))


@dataclass(frozen=True)
class _Hidden:
    """A line that students do not get, and its enclosing function."""

    text: str
    position: str
    file: str  # of source/, "" of another folder
    part: str


def _stripped(*texts: str) -> set[str]:
    return {line.strip() for text in texts for line in text.splitlines()}


def _by_part(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield each line's number, the head of its enclosing function, and the line."""
    part = ""
    for number, line in enumerate(text.splitlines(), 1):
        if _HEAD.match(line):
            part = line.strip()
        yield number, part, line.strip()


def _nearest(word: str, known: set[str]) -> str:
    near = get_close_matches(word, sorted(known), 1)
    return f", such as {near[0]}" if near else ""
