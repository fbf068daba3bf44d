"""Wrong twins: parse their first line, and build the file with the mistake.

A twin stands for a mistake that students make. Those of edits.txt are lines to replace
in the solution; a file in Python holds only the definitions that differ from it; one in
CUDA C++ is a whole file.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
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

    @property
    def wrong_lines(self) -> tuple[int, ...]:
        """Numbers, from 1, of the lines that end with a comment `wrong`."""
        sign = re.compile(r"(?:#|//)\s*wrong\b")
        lines = enumerate(self.text.splitlines(), 1)
        return tuple(number for number, line in lines if sign.search(line))


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
            f"got {first!r}; need its file, rows and kind, as in: "
            "# minitorch/cuda_ops.py fails 3.3-zip.clean, 3.3-zip.cost: race_global",
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


def _defined(node: ast.stmt) -> str | None:
    """Return the name that a statement defines, or None for none or several."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name
    target = None
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
    elif isinstance(node, ast.AnnAssign):
        target = node.target
    return target.id if isinstance(target, ast.Name) else None


@dataclass(frozen=True)
class _Part:
    """A definition in a text: its lines from `first` to `last`, counted from 0."""

    node: ast.stmt
    first: int
    last: int


def _part(node: ast.stmt, lines: list[str], above: int) -> _Part:
    """Return a definition with its decorators and the comments directly above it,
    but no line before `above`.
    """
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)]) - 1
    while first > above and lines[first - 1].lstrip().startswith("#"):
        first -= 1
    return _Part(node, first, node.end_lineno or node.lineno)


def _parts(body: list[ast.stmt], lines: list[str]) -> Iterator[tuple[str, _Part]]:
    above = 1  # the first line of a file says what it is
    for node in body:
        name = _defined(node)
        if name is not None:
            yield name, _part(node, lines, above)
        above = node.end_lineno or node.lineno


class _Overlay:
    """Puts a twin's definitions into the solution's text."""

    def __init__(self, twin: Twin, solution: str) -> None:
        self.twin = twin
        self.lines = solution.splitlines()
        self.twin_lines = twin.text.splitlines()
        self.changes: list[tuple[int, int, list[str]]] = []
        self.imports: list[str] = []
        self.added: list[str] = []
        self.earliest = len(self.lines)  # the first definition that is replaced

    def text(self) -> str:
        ours = ast.parse("\n".join(self.lines))
        theirs = self.parsed_twin()
        start = _first_statement(ours)
        for node in theirs.body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                self.imports += self.twin_lines[node.lineno - 1 : node.end_lineno]
        self.replace(ours.body, theirs.body, "")
        lines = self.lines
        for first, last, new in sorted(self.changes, reverse=True):
            lines[first:last] = new
        lines[self.earliest : self.earliest] = self.added
        lines[start:start] = self.imports
        text = "\n".join(lines) + "\n"
        ast.parse(text)
        return text

    def parsed_twin(self) -> ast.Module:
        try:
            return ast.parse(self.twin.text)
        except SyntaxError as error:
            position = f"{self.twin.path}:{error.lineno}"
            need = "Is the mistake that it does not parse? Then it is no overlay."
            raise AssignmentError(
                f"got no Python: {error.msg}. {need}", position
            ) from None

    def replace(self, ours: list[ast.stmt], theirs: list[ast.stmt], owner: str) -> None:
        places = dict(_parts(ours, self.lines))
        for node in theirs:
            self.refuse_what_is_lost(node, owner)
        for name, part in _parts(theirs, self.twin_lines):
            original = places.get(name)
            if original is None:
                self.add(name, part, owner)
                continue
            if not owner:
                self.earliest = min(self.earliest, original.first)
            if isinstance(part.node, ast.ClassDef) and isinstance(
                original.node, ast.ClassDef
            ):
                self.replace(original.node.body, part.node.body, f"{name}.")
            else:
                new = self.twin_lines[part.first : part.last]
                self.changes.append((original.first, original.last, new))

    def refuse_what_is_lost(self, node: ast.stmt, owner: str) -> None:
        """Raise unless the statement can be put into the file."""
        words = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        brought = isinstance(node, ast.Import | ast.ImportFrom) and not owner
        if _defined(node) is None and not (words or brought or _is_pass(node)):
            line = self.twin_lines[node.lineno - 1].strip()
            raise AssignmentError(
                f"got {line!r}; need definitions and imports: they alone are put in "
                "the place of the solution's.",
                f"{self.twin.path}:{node.lineno}",
            )

    def add(self, name: str, part: _Part, owner: str) -> None:
        new = self.twin_lines[part.first : part.last]
        if owner or not name.startswith("_"):
            raise AssignmentError(
                f"got {owner}{name}, which the solution's {self.twin.file} does not "
                "define; need the name of one of its definitions. A new one that they "
                "call is added where its name begins with an underscore.",
                f"{self.twin.path}:{part.node.lineno}",
            )
        self.added += new


def _is_pass(node: ast.stmt) -> bool:
    return isinstance(node, ast.Pass)


def _first_statement(tree: ast.Module) -> int:
    """Return the line, from 0, after docstring and __future__ imports."""
    line = 0
    for node in tree.body:
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not (docstring or future):
            break
        line = node.end_lineno or node.lineno
    return line


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
                f"got lines that the solution's {twin.file} has {len(places)} times; "
                "need them once.",
                f"{twin.path}:{line}",
            )
        new = [line for sign, line in changed if sign != "-"]
        lines[places[0] : places[0] + len(old)] = new
    return "\n".join(lines) + "\n"


def overlay(twin: Twin, solution: str) -> str:
    """Return the file that a student with this mistake would hand in.

    Definitions of the twin replace those of the same name, with decorators and
    comments; of a class the methods and attributes that it names. Its imports come
    before the file's own, and so do new definitions whose names begin with `_`.

    Args:
        twin: By `read_twins`.
        solution: The solution's text of `twin.file`, without marks.

    Returns:
        the whole text.

    Raises:
        AssignmentError: It defines what the solution does not, replaces lines that it
            has not, or is no Python.
    """
    if twin.path.name == EDITS:
        return _edited(twin, solution)
    if twin.path.suffix != ".py":
        return twin.text
    return _Overlay(twin, solution).text()
