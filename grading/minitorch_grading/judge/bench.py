"""Workbench of a judge: trees of both sides, their processes, the solution's results.

The solution goes the same road as a submission: its own author and runner; what it does
wrong is never a student's fault.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..author.values import ValueForm, unpack
from ..course import trees
from ..course.sources import read_source
from ..errors import AssignmentError
from ..rubric.assignment import Assignment, Task
from ..rubric.handed_in import HandedIn
from ..runner.launches import LaunchResult
from ..sandbox.starting import Prepared
from .clock import TaskClock
from .rows import Ended
from .sides import Side
from .solution_cache import SolutionCache, digest

T = TypeVar("T")


class OurFault(Exception):
    """A fault of the grader, the assignment or the machine: it costs no points."""


def bundle_hash(assignment: Assignment) -> str:
    """Return a hash of all that decides a grade: rubric, sources, graded tests.

    Example:
        >>> from minitorch_grading.rubric.assignment import read_assignment
        >>> len(bundle_hash(read_assignment("grading/tests/data/tiny")))
        64
    """
    state = hashlib.sha256()
    tree = trees.grader_tree(read_source(assignment.folder))
    for name, data in sorted(tree.items()):
        state.update(f"{name}\0{len(data)}\0".encode() + data)
    return state.hexdigest()


class Bench:
    """The two trees and, for one task at a time, the processes of both sides.

    Args:
        assignment: What is judged.
        handed_in: The submission.
        level: Of confinement, that this machine gives.
        bundle: `bundle_hash(assignment)`.
        cache: A folder of the grader's for what the solution gave, or None.
    """

    def __init__(
        self,
        assignment: Assignment,
        handed_in: HandedIn,
        level: str,
        bundle: str,
        cache: Path | None,
    ) -> None:
        self.assignment, self.handed_in, self.level = assignment, handed_in, level
        source = read_source(assignment.folder)
        self._bundle = bundle
        self.cache = SolutionCache(cache)
        self._prepared = Prepared()
        self._folder = TemporaryDirectory(prefix="minitorch-judge-")
        self.root = Path(self._folder.name)
        self.root.chmod(0o711)
        self._drivers: dict[str, str] = {}
        self._solution_tree = trees.sources_tree(source, "solution")
        self._starter_tree = trees.sources_tree(source, "starter")
        self._write("empty", {})
        self._write("solution", self._solution_tree)
        self._imported: dict[tuple[str, str], Ended | None] = {}
        self.task: Task | None = None
        self._sides: list[Side] = []

    def _write(self, name: str, tree: dict[str, bytes]) -> None:
        folder = self.root / name
        folder.mkdir(mode=0o755)
        trees.write_tree(tree, folder)

    def _submitted(self, starters: Collection[str]) -> str:
        """Write the submission with `starters` replaced by the starter's; return its
        folder's name.
        """
        given = {
            name: data
            for name, data in self._solution_tree.items()
            if name not in self.assignment.files
        }
        tree = given | self.handed_in.files
        tree |= {name: self._starter_tree[name] for name in starters}
        name = (
            f"submission-{digest(*sorted(starters))[:16]}" if starters else "submission"
        )
        if not (self.root / name).exists():
            self._write(name, tree)
        return name

    def close(self) -> None:
        """End all processes and delete the folders."""
        self.leave()
        self._prepared.close()
        with contextlib.suppress(OSError):
            self._folder.cleanup()

    def begin(self, tasks: Sequence[Task]) -> None:
        """Start the processes that these tasks need, without waiting for them."""
        if self.level == "process":
            return
        for task in tasks:
            self._prepared.begin("author", task.sees, task.limits.card_mb)
            if task.sees == "cuda":
                self._prepared.begin("runner", "runner", task.limits.card_mb)

    def leave(self) -> None:
        """End the processes of the current task."""
        for side in self._sides:
            side.close()
        self._sides, self.task = [], None

    def enter(self, task: Task) -> None:
        """Start a task, with nothing left of the one before."""
        if self.task == task:
            return
        self.leave()
        self.task = task
        self.clock = TaskClock(task.limits.seconds)
        self.submitted = self._submission(task)
        self._solved = self._side("solution", TaskClock(1e6))

    def _submission(self, task: Task) -> Side:
        """Return the submission's side; files of other tasks may be the starter's.

        A package imports all of its files: one that is broken or empty must not take
        the points of the others. The starter's has all names and solves nothing.
        """
        self._replaced = {
            name: Ended("error", words, unread=True)
            for name, words in self.handed_in.broken.items()
            if name != task.file
        }
        side = self._side(self._submitted(self._replaced), self.clock)
        if _import_error(side, self.assignment.package) is None:
            return side
        for name in self.handed_in.files:
            if name not in (task.file, *self._replaced) and name.endswith(".py"):
                ended = self._import_alone(name, task)
                if ended is not None:
                    self._replaced[name] = ended
        return self._side(self._submitted(self._replaced), self.clock)

    def _import_alone(self, file: str, task: Task) -> Ended | None:
        """Return why a file fails to import among the starter's others, or None."""
        key = file, task.sees
        if key not in self._imported:
            others = [other for other in self.assignment.files if other != file]
            side = self._side(self._submitted(others), TaskClock(task.limits.seconds))
            self._imported[key] = _import_error(side, self.assignment.package)
            side.close()
        return self._imported[key]

    def cause(self, ended: Ended) -> Ended:
        """Return an end, attributed to the file that the starter's replaces."""
        error = self._replaced.get(ended.file or "")
        if error is None:
            return ended
        if error.file is None:  # a sentence about the file itself
            return error
        words = f"This needs {ended.file}, which does not import. {error.plain}"
        return replace(error, plain=words)

    def _side(self, name: str, clock: TaskClock) -> Side:
        assert self.task is not None
        empty = self.root / "empty"
        tree = self.root / name
        side = Side(tree, empty, self.level, self.task, clock, self._prepared)
        self._sides.append(side)
        return side

    @contextlib.contextmanager
    def second_side(self, tree: dict[str, bytes], clock: TaskClock) -> Iterator[Side]:
        """Yield a side of another tree in this task: for tests of a student's own.

        Every such tree lies in the same place with the same times while it is used:
        neither tells a test which program it runs on.
        """
        folder = self.root / "beside"
        self._write(folder.name, tree)
        for path in (*folder.rglob("*"), folder):
            os.utime(path, (0, 0))
        side = self._side(folder.name, clock)
        try:
            yield side
        finally:
            side.close()
            self._sides.remove(side)
            shutil.rmtree(folder)

    def solution_with(self, files: dict[str, bytes]) -> dict[str, bytes]:
        """Return the solution's tree with some files replaced."""
        return self._solution_tree | files

    def drivers(self, module: str, name: str) -> str:
        """Return the text of graded/`module`.py, which the author may read.

        Raises:
            AssignmentError: There is no such file, or no function `name` in it.
        """
        if module not in self._drivers:
            path = self.assignment.folder / "graded" / f"{module}.py"
            try:
                self._drivers[module] = path.read_text("utf-8")
            except OSError:
                raise AssignmentError(
                    f"[{self.assignment.name}] driver module {module!r}: there is no "
                    f"file {path}."
                ) from None
        text = self._drivers[module]
        if not re.search(rf"^(def {name}\(|{name} *=)", text, re.MULTILINE):
            raise AssignmentError(
                f"[{self.assignment.name}] driver {module}.{name}: graded/{module}.py "
                "has no such function."
            )
        return text

    def given(self, file: str) -> str:
        """Return the text of a file as students received it.

        Raises:
            AssignmentError: The source has no such file.
        """
        tree = self._starter_tree
        if file not in tree:
            raise AssignmentError(
                f"[{self.assignment.name}] got the file {file!r}; need one of "
                f"{', '.join(sorted(tree))}."
            )
        return tree[file].decode()

    def solution_call(self, module: str, name: str, arguments: Sequence[Any]) -> Any:
        """Return the result of the solution's driver.

        Raises:
            OurFault: It gives none.
        """
        drivers = self.drivers(module, name)
        key = digest("call", self._bundle, drivers, name, list(arguments))

        def make() -> tuple[dict[str, Any], list[Any]]:
            form = ValueForm()
            value = self._of_solution(
                lambda: self._solved.call(drivers, name, arguments), f"{module}.{name}"
            )
            return {"value": form.pack(value)}, form.arrays

        frame = self.cache.get(key, make)
        return unpack(frame.header["value"], frame.arrays)

    def solution_form(self, request: tuple[Any, ...]) -> NDArray[np.uint8]:
        """Return the solution's kernel; it is compiled once for all submissions.

        Raises:
            OurFault: It does not compile.
        """
        assert self.task is not None
        key = digest("form", self._bundle, self.task.sees, request)
        frame = self.cache.get(
            key,
            lambda: (
                {},
                [self._of_solution(lambda: self._solved.form(*request), request[1])],
            ),
        )
        return frame.arrays[0]

    def solution_launch(
        self,
        request: tuple[Any, ...],
        shape: tuple[Any, Any, int],
        arguments: Sequence[Any],
    ) -> LaunchResult:
        """Return the solution's result of this launch: arrays and counters.

        Raises:
            OurFault: It fails, or has findings.
        """
        values = [getattr(entry, "values", entry) for entry in arguments]
        key = digest("launch", self._bundle, request, shape, values)

        def make() -> tuple[dict[str, Any], list[Any]]:
            form = self.solution_form(request)
            result = self._of_solution(
                lambda: self._solved.launch(form, shape, arguments),
                str(request[1]),
            )
            errors = [x["text"] for x in result.findings if x["severity"] == "error"]
            if errors:
                raise OurFault(f"[solution] {request[1]} has findings: {errors[0]}")
            arrays = [entry for entry in result.arrays if entry is not None]
            places = [n for n, entry in enumerate(result.arrays) if entry is not None]
            return {"counters": result.counters, "places": places}, arrays

        frame = self.cache.get(key, make)
        after = dict(zip(frame.header["places"], frame.arrays, strict=True))
        arrays = tuple(after.get(n) for n in range(len(arguments)))
        return LaunchResult("done", "", arrays, counters=frame.header["counters"])

    def _of_solution(self, make: Callable[[], T], subject: str) -> T:
        try:
            return make()
        except Ended as ended:
            position = f" ({ended.file}:{ended.line})" if ended.file else ""
            raise OurFault(
                f"[solution] {subject}: {ended.outcome}, {ended.plain}{position}. "
                f"{ended.details}"
            ) from None


def _import_error(side: Side, package: str) -> Ended | None:
    """Why the package of a side does not import; None if it does, or there is none.

    That takes none of the seconds of the side's task.
    """
    if not package:
        return None
    try:
        with side.clock.aside():
            side.import_package(package)
    except Ended as ended:
        return ended
    return None
