"""Assignment.toml: tasks, rows, points, limits.

`read_assignment` checks the whole file: each error names the file, the key and what is
needed there, so that a slip in a rubric is never a student's fault.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from ..errors import AssignmentError

__all__ = [
    "SCHEMA",
    "SEES",
    "STAGES",
    "VISIBLE_AFTER",
    "Assignment",
    "AssignmentError",
    "Item",
    "Limits",
    "Row",
    "Task",
    "read_assignment",
]

SCHEMA = "minitorch/assignment/1"
SEES = ("nothing", "numba", "cuda")
STAGES = ("values", "clean", "cost")  # a kernel's rows, each only after the one before
# When students see a row, in assignment.toml, and what the report calls it.
VISIBLE_AFTER = {
    "": "visible",
    "due": "after_due_date",
    "published": "after_published",
    "never": "hidden",
}
FILE_NAME = "assignment.toml"
HANDED_IN = (".py", ".cu", ".cuh", ".md", ".txt", ".toml", ".json", ".csv")

_MOST_POINTS, _LARGEST = 1_000_000, 1_000_000_000  # of a row; of any number
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True)
class Limits:
    """What one task may use: seconds in which its processes run or sleep (a wait for a
    core does not count), MB of the host and of the card."""

    seconds: float = 60.0
    memory_mb: int = 1024
    card_mb: int = 256


@dataclass(frozen=True)
class Task:
    """A task: the file that students write for it, its limits and its texts."""

    id: str
    title: str
    file: str
    sees: str
    limits: Limits
    question: str = ""
    next: str = ""


@dataclass(frozen=True)
class Row:
    """One line of the report. `stage` is one of STAGES, or "" for a single row."""

    id: str
    item: str
    task: str
    title: str
    points: int | float
    stage: str
    hidden: bool
    visibility: str
    manual: bool
    extra: bool
    advice: str


@dataclass(frozen=True)
class Item:
    """What one graded test is worth. `points` by stage; "" is that of a single row.

    `functions` are those that it judges: `tensor_zip`, `Module.train`.
    """

    id: str
    task: str
    title: str
    points: Mapping[str, int | float]
    hidden: bool = False
    visible_after: str = ""
    public: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    manual: bool = False
    extra: bool = False
    advice: str = ""
    leaderboard: str = ""

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The report's rows for this item, in order."""
        return tuple(
            Row(
                id=f"{self.id}.{stage}" if stage else self.id,
                item=self.id,
                task=self.task,
                title=f"{self.title}: {stage}" if stage else self.title,
                points=points,
                stage=stage,
                hidden=self.hidden,
                visibility=VISIBLE_AFTER[self.visible_after],
                manual=self.manual,
                extra=self.extra,
                advice=self.advice,
            )
            for stage, points in self.points.items()
        )


@dataclass(frozen=True)
class Assignment:
    """An assignment, read from its file. `folder` holds source/, tests/, graded/, ...

    Example:
        >>> assignment = read_assignment("grading/tests/data/tiny")
        >>> [row.id for row in assignment.rows][:2]
        ['1.1-clip', '1.1-secret']
    """

    folder: Path
    name: str
    title: str
    files: tuple[str, ...]
    tasks: tuple[Task, ...]
    items: tuple[Item, ...]
    package: str = ""
    needs: tuple[str, ...] = ()
    earlier: str = "solution"
    sees: str = "nothing"
    limits: Limits = field(default_factory=Limits)

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """All rows of the report, in the order of the file."""
        return tuple(row for item in self.items for row in item.rows)

    @property
    def max_score(self) -> int | float:
        """Total points without extra rows."""
        return plain_number(sum(row.points for row in self.rows if not row.extra))

    def task(self, name: str) -> Task:
        """Return the task with this id.

        Raises:
            AssignmentError: there is none; the nearest is named.
        """
        task: Task = _named(self, "task", name, self.tasks)
        return task

    def item(self, name: str) -> Item:
        """Return the item with this id, as in a graded test's marker `task`.

        Raises:
            AssignmentError: there is none; the nearest is named.
        """
        item: Item = _named(self, "item", name, self.items)
        return item

    def task_of(self, item: str) -> Task:
        """Return the task of an item."""
        return self.task(self.item(item).task)


def plain_number(number: int | float) -> int | float:
    """Return a number that JSON can hold: 3 and not 3.0, 0 for NaN and infinity."""
    if not math.isfinite(number):
        return 0
    return int(number) if float(number).is_integer() else round(float(number), 6)


def _named(assignment: Assignment, noun: str, name: str, all_: Sequence[Any]) -> Any:
    for entry in all_:
        if entry.id == name:
            return entry
    known = [entry.id for entry in all_]
    raise AssignmentError(
        f"got the {noun} {name!r}; need one of {', '.join(known)}."
        f"{_meant(name, known)}",
        f"{assignment.name}/{FILE_NAME}",
    )


def _meant(word: str, known: Sequence[str]) -> str:
    near = get_close_matches(str(word), known, n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


class _Table:
    """A table of the file: hands out its keys, then reports unknown ones."""

    def __init__(self, file: str, where: str, table: object) -> None:
        self.file, self.where = file, where
        if not isinstance(table, dict):
            raise self.error(f"{_kind(table)}", "a table")
        self._left = dict(table)
        self._known: list[str] = []

    def error(self, got: str, need: str, key: str = "") -> AssignmentError:
        return self.error_of(f"{f'{key} = ' if key else ''}got {got}; need {need}.")

    def error_of(self, words: str) -> AssignmentError:
        return AssignmentError(
            f"{self.where}: {words}" if self.where else words, self.file
        )

    def take(self, key: str, kind: Any, default: Any = None, need: str = "") -> Any:
        """Return the value of a key; without a default the key is required."""
        self._known.append(key)
        if key not in self._left:
            if default is None:
                raise self.error("nothing", need or _words(kind), key)
            return default
        value = self._left.pop(key)
        right = isinstance(value, kind) and (
            kind is bool or not isinstance(value, bool)
        )
        if not right:
            raise self.error(f"{_kind(value)} {value!r}", need or _words(kind), key)
        return value

    def word(self, key: str, default: str | None = None, of: Any = None) -> str:
        value: str = self.take(key, str, default)
        if of is not None and value not in of:
            known = [choice for choice in of if choice]
            raise self.error(
                repr(value), f"one of {', '.join(known)}.{_meant(value, known)}", key
            )
        return value

    def name(self, key: str) -> str:
        value: str = self.take(key, str)
        if not _NAME.fullmatch(value):
            raise self.error(
                repr(value), "letters, digits, '.', '-' and '_', 64 at most", key
            )
        return value

    def words(self, key: str, default: Any = None) -> tuple[str, ...]:
        value = self.take(key, (list, tuple), default, "a list of texts")
        if not all(isinstance(word, str) for word in value):
            raise self.error(repr(value), "a list of texts", key)
        return tuple(value)

    def number(self, key: str, default: float, low: float, kind: Any = None) -> Any:
        value = self.take(key, kind or (int, float), default)
        if not low <= value <= _LARGEST:  # not a number is neither
            need = f"a number, at least {low}, at most {_LARGEST:,}"
            raise self.error(repr(value), need, key)
        return value

    def finish(self) -> None:
        for key in self._left:
            raise self.error_of(
                f"got the key {key!r}; need one of {', '.join(self._known)}."
                f"{_meant(key, self._known)}"
            )


def _kind(value: object) -> str:
    names = {dict: "a table", list: "a list", str: "the text", bool: "the truth value"}
    return names.get(type(value), "the value")


def _words(kind: Any) -> str:
    names = {str: "a text", bool: "true or false", int: "a whole number"}
    return names.get(kind, "a number")


def read_assignment(folder: str | Path) -> Assignment:
    """Read and check `folder`/assignment.toml, or the file itself.

    Args:
        folder: the assignment's folder, or its assignment.toml.

    Returns:
        The assignment. Its tests are not read here, only this file.

    Raises:
        AssignmentError: no such file, no TOML, a key that is missing, unknown or wrong.

    Example:
        >>> read_assignment("grading/tests/data/tiny").max_score
        10
    """
    path = Path(folder)
    path = path if path.name == FILE_NAME else path / FILE_NAME
    file = f"{path.resolve().parent.name}/{FILE_NAME}"
    try:
        data = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        raise AssignmentError(
            f"there is no such file in {path.parent}; need the folder of an "
            "assignment.",
            file,
        ) from None
    except OSError as error:
        raise AssignmentError(f"cannot read the file: {error}.", file) from None
    except UnicodeDecodeError as error:
        raise AssignmentError(f"not valid UTF-8 at byte {error.start}.", file) from None
    except tomllib.TOMLDecodeError as error:
        raise AssignmentError(f"not valid TOML: {error}.", file) from None
    return _assignment(path.parent, file, data)


def _assignment(folder: Path, file: str, data: dict[str, Any]) -> Assignment:
    top = _Table(file, "", data)
    top.word("schema", of=(SCHEMA,))
    name, title = top.name("name"), top.word("title")
    needs = top.words("needs", ())
    earlier = top.word("earlier", "solution", ("solution", "student"))
    package = top.word("package", "")
    files = _files(top)
    sees = top.word("sees", "nothing", SEES)
    limits = _limits(_Table(file, "[limits]", top.take("limits", dict, {})), Limits())
    given = top.take("task", list, need="one [[task]] or more")
    tasks = tuple(
        _task(file, n, entry, files, sees, limits) for n, entry in _count(given)
    )
    given = top.take("item", list, need="one [[item]] or more")
    items = tuple(_item(file, n, entry, tasks) for n, entry in _count(given))
    total = top.number("points", -1, -1)
    top.finish()
    assignment = Assignment(
        folder=folder,
        name=name,
        title=title,
        needs=needs,
        earlier=earlier,
        package=package,
        files=files,
        sees=sees,
        limits=limits,
        tasks=tasks,
        items=items,
    )
    _check_names(file, assignment)
    _check_total(file, assignment, total)
    return assignment


def _count(given: list[Any]) -> list[tuple[int, Any]]:
    return list(enumerate(given, 1))


def _files(top: _Table) -> tuple[str, ...]:
    files = top.words("files")
    if not files:
        raise top.error("an empty list", "the files that students hand in", "files")
    for path in files:
        parts = PurePosixPath(path).parts
        inside = bool(parts) and not path.startswith("/") and ".." not in parts
        plain = inside and "\\" not in path and str(PurePosixPath(path)) == path
        if not (plain and PurePosixPath(path).suffix in HANDED_IN):
            ends = " ".join(HANDED_IN)
            need = f"paths such as minitorch/cuda_ops.py, ending in {ends}"
            raise top.error(repr(path), need, "files")
    if len({path.lower() for path in files}) < len(files):
        raise top.error(repr(list(files)), "each file once", "files")
    return files


def _limits(table: _Table, default: Limits) -> Limits:
    limits = Limits(
        seconds=float(table.number("seconds", default.seconds, 0.1)),
        memory_mb=table.number("memory_mb", default.memory_mb, 64, int),
        card_mb=table.number("card_mb", default.card_mb, 1, int),
    )
    table.finish()
    return limits


def _task(
    file: str, n: int, data: Any, files: Sequence[str], sees: str, limits: Limits
) -> Task:
    table = _Table(file, f"[[task]] {n}", data)
    name = table.name("id")
    table.where = f"[[task]] {name}"
    task_limits = _Table(file, f"{table.where} limits", table.take("limits", dict, {}))
    task = Task(
        id=name,
        title=table.word("title"),
        file=table.word("file", files[0] if len(files) == 1 else None, files),
        sees=table.word("sees", sees, SEES),
        limits=_limits(task_limits, limits),
        question=table.word("question", ""),
        next=table.word("next", ""),
    )
    table.finish()
    return task


def _item(file: str, n: int, data: Any, tasks: Sequence[Task]) -> Item:
    table = _Table(file, f"[[item]] {n}", data)
    name = table.name("id")
    table.where = f"[[item]] {name}"
    item = Item(
        id=name,
        task=table.word("task", of=[task.id for task in tasks]),
        title=table.word("title"),
        points=_points(table),
        hidden=table.take("hidden", bool, False),
        visible_after=table.word("visible_after", "", VISIBLE_AFTER),
        public=table.words("public", ()),
        functions=table.words("functions", ()),
        manual=table.take("manual", bool, False),
        extra=table.take("extra", bool, False),
        advice=table.word("advice", ""),
        leaderboard=table.word("leaderboard", ""),
    )
    table.finish()
    if item.manual and item.hidden:
        raise table.error("manual and hidden", "one of them", "hidden")
    if item.leaderboard and item.hidden:  # exact counts would tell the inputs
        raise table.error("leaderboard and hidden", "one of them", "hidden")
    return item


def _points(table: _Table) -> dict[str, int | float]:
    need = "a number, or a table of values, clean, cost"
    given = table.take("points", (int, float, dict), need=need)
    stages = given if isinstance(given, dict) else {"": given}
    for stage, points in stages.items():
        if stage and stage not in STAGES:
            known = f"one of {', '.join(STAGES)}.{_meant(stage, STAGES)}"
            raise table.error(repr(stage), known, "points")
        right = isinstance(points, int | float) and not isinstance(points, bool)
        if not (right and 0 <= points <= _MOST_POINTS):
            need = f"a number, at least 0, at most {_MOST_POINTS:,}"
            raise table.error(repr(points), need, f"points.{stage}")
    if "" not in stages and "values" not in stages:
        raise table.error(repr(given), "points of values, too", "points")
    order = [stage for stage in ("", *STAGES) if stage in stages]
    return {stage: plain_number(stages[stage]) for stage in order}


def _check_total(file: str, assignment: Assignment, total: float) -> None:
    """Raise unless `points` is the sum of the rows that are not extra."""
    if total not in (-1, assignment.max_score):
        raise AssignmentError(
            f"points = got {plain_number(total)}; need {assignment.max_score}, the sum "
            "of the rows without extra ones.",
            file,
        )


def _check_names(file: str, assignment: Assignment) -> None:
    """Raise if a task, item or row id occurs twice, or a task has no item."""
    for noun, ids in {
        "task": [task.id for task in assignment.tasks],
        "item": [item.id for item in assignment.items],
        "row": [row.id for row in assignment.rows],
    }.items():
        twice = sorted({name for name in ids if ids.count(name) > 1})
        if twice:
            raise AssignmentError(
                f"{noun} id {twice[0]!r} is used twice; ids must be different.",
                file,
            )
    judged = {item.task for item in assignment.items}
    for task in assignment.tasks:
        if task.id not in judged:
            raise AssignmentError(
                f"[[task]] {task.id}: no [[item]] has task = {task.id!r}; need at "
                "least one.",
                file,
            )
