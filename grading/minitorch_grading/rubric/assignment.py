"""Assignment.toml: tasks, rows, points, limits.

`read_assignment` checks the whole file: each error names the file, the key and what is
needed there, so that a slip in a rubric is never a student's fault.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from ..errors import AssignmentError

STAGES = ("values", "clean", "cost")  # a kernel's rows, each only after the one before
TOML = "assignment.toml"
HANDED_IN = (".py", ".cu", ".cuh", ".md", ".txt", ".toml", ".json", ".csv")

_MOST_POINTS, _LARGEST = 1_000_000, 1_000_000_000  # of a row; of any number
_Name = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")]
_Sees = Literal["nothing", "numba", "cuda"]
_Points = (
    Annotated[int, Meta(ge=0, le=_MOST_POINTS)]
    | Annotated[float, Meta(ge=0, le=_MOST_POINTS)]
)


class Limits(Struct, frozen=True, forbid_unknown_fields=True):
    """What one task may use: seconds in which its processes run or sleep (a wait for a
    core does not count), MB of the host and of the card."""

    seconds: Annotated[float, Meta(ge=0.1, le=_LARGEST)] = 60.0
    memory_mb: Annotated[int, Meta(ge=64, le=_LARGEST)] = 1024
    card_mb: Annotated[int, Meta(ge=1, le=_LARGEST)] = 256


class Task(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A task: the file that students write for it, its limits and its texts."""

    id: _Name
    title: str
    file: str
    sees: _Sees = "nothing"
    limits: Limits = Limits()
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
    manual: bool
    extra: bool
    advice: str


class Item(
    Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, dict=True
):
    """What one graded test is worth. `points` by stage; "" is that of a single row."""

    id: _Name
    task: str
    title: str
    points: dict[Literal["", "values", "clean", "cost"], _Points]
    hidden: bool = False
    public: tuple[str, ...] = ()
    manual: bool = False
    extra: bool = False
    advice: str = ""

    def __post_init__(self) -> None:
        if "" not in self.points and "values" not in self.points:
            raise ValueError("points without those of values")
        if self.hidden and self.manual:
            raise ValueError("a manual row cannot be hidden")

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The report's rows for this item, in order."""
        return tuple(
            Row(
                id=f"{self.id}.{stage}" if stage else self.id,
                item=self.id,
                task=self.task,
                title=f"{self.title}: {stage}" if stage else self.title,
                points=self.points[stage],
                stage=stage,
                hidden=self.hidden,
                manual=self.manual,
                extra=self.extra,
                advice=self.advice,
            )
            for stage in ("", *STAGES)
            if stage in self.points
        )


class Assignment(
    Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, dict=True
):
    """An assignment, read from its file. `folder` holds source/, tests/, graded/, ...

    Example:
        >>> assignment = read_assignment("grading/tests/data/tiny")
        >>> [row.id for row in assignment.rows][:2]
        ['1.1-clip', '1.1-secret']
    """

    folder: Path
    schema: Literal["minitorch/assignment/1"]
    name: _Name
    title: str
    files: Annotated[tuple[str, ...], Meta(min_length=1)]
    tasks: tuple[Task, ...] = msgspec.field(name="task")
    items: tuple[Item, ...] = msgspec.field(name="item")
    package: str = ""
    needs: tuple[str, ...] = ()
    sees: _Sees = "nothing"
    limits: Limits = Limits()
    points: _Points | None = None

    def __post_init__(self) -> None:
        _check_files(self.files)
        for noun, ids in {
            "task": [task.id for task in self.tasks],
            "item": [item.id for item in self.items],
            "row": [row.id for row in self.rows],
        }.items():
            for name in {name for name in ids if ids.count(name) > 1}:
                raise ValueError(f"{noun} id {name!r} is used twice")
        for task in self.tasks:
            if task.file not in self.files:
                raise ValueError(f"task {task.id}: {task.file!r} is not in files")
            if all(item.task != task.id for item in self.items):
                raise ValueError(f"task {task.id}: no [[item]] has task = {task.id!r}")
        for item in self.items:
            self.task(item.task)
        if self.points not in (None, self.max_score):
            raise ValueError(
                f"points = {plain_number(self.points)}, but the rows without extra "
                f"ones sum up to {self.max_score}"
            )

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
    near = get_close_matches(name, known, n=1)
    raise AssignmentError(
        f"got the {noun} {name!r}; need one of {', '.join(known)}."
        f"{f' Did you mean {near[0]!r}?' if near else ''}",
        f"{assignment.name}/{TOML}",
    )


def _check_files(files: Iterable[str]) -> None:
    for path in files:
        plain = PurePosixPath(path)
        inside = (
            not plain.is_absolute() and ".." not in plain.parts and "\\" not in path
        )
        if not inside or str(plain) != path or plain.suffix not in HANDED_IN:
            raise ValueError(
                f"files: got {path!r}; need paths such as minitorch/cuda_ops.py, "
                f"ending in {' '.join(HANDED_IN)}"
            )
    lower = [path.lower() for path in files]
    if len(set(lower)) < len(lower):
        raise ValueError(f"files: got {files}; need each file once")


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
    path = path if path.name == TOML else path / TOML
    file = f"{path.resolve().parent.name}/{TOML}"
    try:
        data = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise AssignmentError(
            f"cannot read {path}: {error.strerror}; need the folder of an assignment.",
            file,
        ) from None
    except UnicodeDecodeError as error:
        raise AssignmentError(f"not valid UTF-8 at byte {error.start}.", file) from None
    except tomllib.TOMLDecodeError as error:
        raise AssignmentError(f"not valid TOML: {error}.", file) from None
    try:
        given = _with_defaults(data) | {"folder": path.parent}
        return msgspec.convert(given, Assignment)
    except msgspec.ValidationError as error:
        raise AssignmentError(f"{_readable(str(error), data)}.", file) from None


def _tables(data: Mapping[str, Any], name: str) -> list[Any]:
    """Return the tables of `[[name]]`; what is something else is left out."""
    entries = data.get(name)
    entries = entries if isinstance(entries, list) else []
    return [entry for entry in entries if isinstance(entry, dict)]


def _with_defaults(data: dict[str, Any]) -> dict[str, Any]:
    """Give tasks what the assignment says of all of them, and items points by stage."""
    files, limits = data.get("files"), data.get("limits", {})
    for task in _tables(data, "task"):
        task.setdefault("sees", data.get("sees", "nothing"))
        if isinstance(files, list) and len(files) == 1:
            task.setdefault("file", files[0])
        own = task.get("limits", {})
        if isinstance(own, dict) and isinstance(limits, dict):
            task["limits"] = limits | own
    for item in _tables(data, "item"):
        if "points" in item and not isinstance(item["points"], dict):
            item["points"] = {"": item["points"]}
    return data


def _readable(words: str, data: Mapping[str, Any]) -> str:
    """Return msgspec's words behind their position, such as "[[item]] 1.1-clip: points:
    Expected `int`, got `str`".
    """
    found = re.fullmatch(
        r"(.*) - at (?:`key` in )?`\$\.(?:(task|item)\[(\d+)\])?\.?(.*)`",
        words,
        re.DOTALL,
    )
    if found is None:
        return words
    parts = [found[4], found[1]]
    if found[2]:
        entry = data[found[2]][int(found[3])]
        name = entry.get("id", found[3]) if isinstance(entry, dict) else found[3]
        parts.insert(0, f"[[{found[2]}]] {name}")
    return ": ".join(filter(None, parts))
