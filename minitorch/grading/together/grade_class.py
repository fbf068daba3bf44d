"""Owns the way from a folder of submissions to a folder of results.

Only this process writes there; a restart goes on where it was killed. Must not know how
a submission is judged or how pages look.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..report.words import amount
from ..rubric.assignment import Assignment, read_assignment
from ..sandbox.library_subset import own_folder
from .cluster import run_all, workers_of
from .faults import fault_report
from .key import bundle_hash, result_key, versions
from .ledger import Ledger
from .overrides import check_overrides, keep_overrides
from .scores import Numbers, class_results, numbers_of
from .submissions import HandedInError, Submission, find_submissions, left_out
from .summary_files import write_summaries
from .task import GRADE_ONE, Graded, Told

_SHOWN = 5  # names of what is no submission


@dataclass(frozen=True)
class ClassGraded:
    """What became of a class.

    Attributes:
        graded: submissions that were graded now.
        known: submissions whose results were there already.
        numbers: of the whole class.
        folder: the results.
        left_out: names of what was handed in as no folder, zip or notebook.
    """

    graded: int
    known: int
    numbers: Numbers
    folder: Path
    left_out: tuple[str, ...] = ()

    @property
    def says(self) -> str:
        """One line: "200 of 200; 3 not gradable; median 34/40; results/index.html"."""
        numbers = self.numbers
        done = self.graded + self.known
        parts = [f"{done} of {numbers.count}"]
        if self.known:
            parts[0] += f" ({self.known} known)"
        if numbers.not_gradable:
            parts.append(f"{numbers.not_gradable} not gradable")
        if numbers.not_final:
            parts.append(f"{numbers.not_final} not final")
        if numbers.median is not None:
            parts.append(f"median {amount(numbers.median)}/{amount(numbers.max_score)}")
        if self.left_out:
            dots = ", ..." if len(self.left_out) > _SHOWN else ""
            names = ", ".join(self.left_out[:_SHOWN]) + dots
            count = len(self.left_out)
            parts.append(f"{count} left out, no folder, zip or notebook: {names}")
        parts.append(str(self.folder / "index.html"))
        return "; ".join(parts)


def grade_class(
    assignment: Path,
    handed_in: Path,
    to: Path,
    secret: bytes,
    *,
    workers: int | None = None,
    scheduler: Path | None = None,
    level: str | None = None,
    overrides: Path | None = None,
    again: bool = False,
    grade: str = GRADE_ONE,
    progress: Callable[[int, int], None] = lambda done, all_: None,
) -> ClassGraded:
    """Grade every submission of a folder, and write results, scores and pages.

    Args:
        assignment: the folder with assignment.toml.
        handed_in: a folder with a folder or zip for each submission.
        to: the results folder; results that are still good are kept.
        secret: what the hidden inputs follow from.
        workers: processes of this machine; None: one for each core.
        scheduler: the file of a running Dask scheduler instead; its workers must see
            the same paths.
        level: isolation; None takes the best of the machine.
        overrides: the teacher's file, kept with the results; None: `overrides.toml` in
            `to`.
        again: also what ended with a fault of ours before.
        grade: the function that grades one, as "module:function".
        progress: called with the submissions that are done, and all.

    Returns:
        What became of the class.

    Raises:
        HandedInError, LedgerError, ClusterError, OverrideError, AssignmentError: what
            is wrong, in words.
    """
    rubric, submissions = _checked(assignment, handed_in, to, overrides)
    bundle = bundle_hash(assignment)
    by_key = _by_key(submissions, bundle, secret, level)
    with Ledger(to) as ledger:
        ledger.require(rubric.name)
        keep_overrides(overrides, to)
        run = _Run(ledger, by_key, len(submissions), progress)
        cache = _solution_folder(to)
        told = _told(
            run.open_ones(again), assignment, secret, level, grade, cache, scheduler
        )

        def arrived(key: str, graded: Graded | Exception) -> None:
            if isinstance(graded, Exception):
                sha256 = by_key[key][0].sha256
                graded = _our_fault(assignment, sha256, bundle, level, graded)
            run.arrived(key, graded)

        if told:
            with workers_of(workers, scheduler) as client:
                run_all(client, told, arrived)
        shutil.rmtree(cache, ignore_errors=True)
        numbers = _summed_up(to, submissions)
    return ClassGraded(run.graded, run.known, numbers, to, tuple(left_out(handed_in)))


def _checked(
    assignment: Path, handed_in: Path, to: Path, overrides: Path | None
) -> tuple[Assignment, list[Submission]]:
    """What can be wrong is told before anything is graded."""
    rubric = read_assignment(assignment)
    if to.resolve().is_relative_to(handed_in.resolve()):
        raise HandedInError(
            f"[grade] got results in {to}, inside {handed_in}, where each folder is a "
            "submission; need a folder beside it."
        )
    submissions = find_submissions(handed_in)
    names = [each.name for each in submissions]
    check_overrides(overrides, to, names, [row.id for row in rubric.rows])
    return rubric, submissions


def _summed_up(to: Path, submissions: Sequence[Submission]) -> Numbers:
    """Writes what is about the whole class; its numbers."""
    results = class_results(to, None, [each.name for each in submissions])
    paths = {each.name: each.path for each in submissions}
    write_summaries(to, results, None, paths)
    return numbers_of(results)


def _solution_folder(to: Path) -> Path:
    """For the solution's arrays: no submission may read them, and they do not stay."""
    cache = to / ".solution"
    cache.mkdir(mode=0o700, exist_ok=True)
    return cache


def _by_key(
    submissions: Iterable[Submission], bundle: str, secret: bytes, level: str | None
) -> dict[str, list[Submission]]:
    """Submissions that must come to the same result, together."""
    made_of = versions()
    by_key: dict[str, list[Submission]] = {}
    for each in submissions:
        key = result_key(each.sha256, bundle, secret, level, made_of)
        by_key.setdefault(key, []).append(each)
    return by_key


def _told(
    open_ones: Mapping[str, Submission],
    assignment: Path,
    secret: bytes,
    level: str | None,
    grade: str,
    cache: Path,
    scheduler: Path | None,
) -> dict[str, Told]:
    return {
        key: {
            "grade": grade,
            "assignment": str(assignment.resolve()),
            "submission": str(each.path.resolve()),
            "secret": secret,
            "level": level,
            "cache": str(cache.resolve()),
            # Other machines have temporary folders of their own.
            "library": "" if scheduler else str(own_folder()),
        }
        for key, each in open_ones.items()
    }


def _our_fault(
    assignment: Path, sha256: str, bundle: str, level: str | None, error: Exception
) -> Graded:
    why = f"{type(error).__name__}: {error}"
    report = fault_report(assignment, sha256, bundle, level, why)
    return {"report": report, "pictures": {}}


class _Run:
    """What is done of a class, and the only hands that touch the ledger.

    Equal files have one key: they are graded once, and each submission gets a line.
    """

    def __init__(
        self,
        ledger: Ledger,
        by_key: Mapping[str, list[Submission]],
        count: int,
        progress: Callable[[int, int], None],
    ) -> None:
        self.ledger, self.by_key, self.count = ledger, by_key, count
        self.progress = progress
        self.known = self.graded = 0

    def open_ones(self, again: bool) -> dict[str, Submission]:
        """What must be graded, by key; lines that lack only their report are added."""
        found: dict[str, Submission] = {}
        for key, group in self.by_key.items():
            line = self.ledger.any_line_of(key)
            if line is None or (again and not line.final):
                found[key] = group[0]
                continue
            for each in group:
                if self.ledger.line_of(each.name, key) is None:
                    self.ledger.add_line(each, key)
            self.known += len(group)
        self.progress(self.known, self.count)
        return found

    def arrived(self, key: str, graded: Graded) -> None:
        """Put a report in place, then say so."""
        self.ledger.put(key, graded["report"], graded["pictures"])
        for each in self.by_key[key]:
            self.ledger.add_line(each, key)
        self.graded += len(self.by_key[key])
        self.progress(self.known + self.graded, self.count)
