"""Grade every submission of a folder into a results folder.

Only this process writes there. A restart goes on where the last run was killed: a
report is put in place whole, and is kept while all that it follows from is the same.
"""

from __future__ import annotations

import hmac
import json
import platform
import shutil
import statistics
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import UsageError
from ..judge.bench import bundle_hash
from ..judge.first_report import first_report
from ..report.adapters.junit import document
from ..report.pages.student import student_page
from ..report.report import load_report, write_text
from ..report.words import amount
from ..rubric.assignment import Assignment, read_assignment
from ..rubric.handed_in import HandedIn, read_handed_in
from ..sandbox.library_subset import own_folder
from .cluster import GRADE_ONE, Graded, Task, run_all, workers_of
from .results import (
    CSV,
    Result,
    check_overrides,
    held,
    known_report,
    put,
    read_overrides,
    read_results,
    scores_csv,
)
from .submissions import Submission, find_submissions, left_out

_SHOWN = 5  # names of what is no submission
_OUR_FAULT = (
    "The grader did not come to its end with this submission. That is not your fault, "
    "and no points are lost by it: your teacher sees it."
)


@dataclass(frozen=True)
class ClassGraded:
    """The result of grading a class.

    Attributes:
        graded: number of submissions that were graded now.
        known: number of submissions whose reports were kept.
        results: of the whole class, by name.
        folder: the results.
        left_out: names of what was handed in as no folder, zip or notebook.
    """

    graded: int
    known: int
    results: Sequence[Result]
    folder: Path
    left_out: tuple[str, ...] = ()

    @property
    def not_final(self) -> int:
        """Number of reports that must not be published."""
        return sum(not result.report["final"] for result in self.results)

    @property
    def says(self) -> str:
        """Summary in one line: "200 of 200; 3 not gradable; median 34/40;
        results/scores.csv".
        """
        parts = [f"{self.graded + self.known} of {len(self.results)}"]
        if self.known:
            parts[0] += f" ({self.known} known)"
        not_gradable = sum(not result.report["gradable"] for result in self.results)
        if not_gradable:
            parts.append(f"{not_gradable} not gradable")
        if self.not_final:
            parts.append(f"{self.not_final} not final")
        scores = [result.report["score"] for result in self.results if result.counts]
        if scores:
            most = max(result.report["max_score"] for result in self.results)
            parts.append(f"median {amount(statistics.median(scores))}/{amount(most)}")
        if self.left_out:
            dots = ", ..." if len(self.left_out) > _SHOWN else ""
            names = ", ".join(self.left_out[:_SHOWN]) + dots
            count = len(self.left_out)
            parts.append(f"{count} left out, no folder, zip or notebook: {names}")
        parts.append(str(self.folder / CSV))
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
    again: bool = False,
    grade: str = GRADE_ONE,
    progress: Callable[[int, int], None] = lambda done, all_: None,
) -> ClassGraded:
    """Grade every submission of a folder, and write reports, pages and scores.csv.

    Args:
        assignment: the folder with assignment.toml.
        handed_in: a folder with a folder, zip or notebook for each submission.
        to: the results folder; reports that are still good are kept.
        secret: what the hidden inputs follow from.
        workers: processes of this machine; None: one for each core.
        scheduler: the file of a running Dask scheduler instead; its workers must see
            the same paths.
        level: isolation; None takes the best of the machine.
        again: also what ended with a fault of ours before.
        grade: the function that grades one, as "module:function".
        progress: called with the number of submissions that are done, and of all.

    Raises:
        UsageError: what is wrong, in words.
    """
    rubric = read_assignment(assignment)
    if to.resolve().is_relative_to(handed_in.resolve()):
        raise UsageError(
            f"[grade] the results folder {to} is inside {handed_in}, where each folder "
            "is a submission. Choose a folder outside it."
        )
    submissions = {entry.name: entry for entry in find_submissions(handed_in)}
    overrides = read_overrides(to)
    check_overrides(overrides, submissions, [row.id for row in rubric.rows])
    bundle = bundle_hash(rubric)

    def blank(submission: Submission) -> Any:
        files = dict.fromkeys(rubric.files, b"")
        handed = HandedIn(files, (), {}, (), submission.sha256)
        return first_report(rubric, handed, level or "confined", bundle)

    with held(to):
        _require_assignment(to, rubric.name)
        missing: dict[str, list[Submission]] = {}  # equal files are graded once
        for entry in submissions.values():
            key = _key(blank(entry), secret, level)
            report = known_report(to, entry, key)
            if report is None or (again and not report["final"]):
                missing.setdefault(key, []).append(entry)
        count = len(submissions)
        known = done = count - sum(map(len, missing.values()))
        progress(done, count)

        def arrived(key: str, graded: Graded | Exception) -> None:
            nonlocal done
            if isinstance(graded, Exception):
                graded = _our_fault(blank(missing[key][0]), graded)
            for entry in missing[key]:
                put(to, entry, key, graded)
            done += len(missing[key])
            progress(done, count)

        cache = to / ".solution"  # no submission may read it
        cache.mkdir(mode=0o700, exist_ok=True)
        tasks: dict[str, Task] = {
            key: {
                "grade": grade,
                "assignment": str(assignment.resolve()),
                "submission": str(equal[0].path.resolve()),
                "secret": secret,
                "level": level,
                "cache": str(cache.resolve()),
                # Other machines have temporary folders of their own.
                "library": "" if scheduler else str(own_folder()),
            }
            for key, equal in missing.items()
        }
        if tasks:
            with workers_of(workers, scheduler) as client:
                run_all(client, tasks, arrived)
        shutil.rmtree(cache, ignore_errors=True)
        results = read_results(to, submissions)
        _write_pages(results, submissions, rubric)
        write_text(to / CSV, scores_csv(results))
    return ClassGraded(count - known, known, results, to, tuple(left_out(handed_in)))


def _require_assignment(to: Path, name: str) -> None:
    """Raise if the results folder holds reports of another assignment."""
    for path in (to / "reports").iterdir():
        other = name
        with suppress(ValueError):  # of a killed run: it is graded again
            other = load_report(path)["assignment"]
        if other != name:
            raise UsageError(
                f"[grade] {to} holds results of {other}, not {name}. Choose another "
                "folder: --to."
            )


def _key(blank: Mapping[str, Any], secret: bytes, level: str | None) -> str:
    """Return a report's key: equal keys give equal reports, except for times."""
    made_of = [blank["submission"], blank["grader"], level]
    text = json.dumps([*made_of, np.__version__, platform.machine()])
    return hmac.new(secret, text.encode(), "sha256").hexdigest()


def _our_fault(blank: dict[str, Any], error: Exception) -> Graded:
    """Return a report for a failure of the grader: not final, no zero."""
    for row in blank["rows"]:
        row["staff_message"] = f"{type(error).__name__}: {error}"[:4000]
    return {"report": {**blank, "message": _OUR_FAULT}, "pictures": {}}


def _write_pages(
    results: Sequence[Result],
    submissions: Mapping[str, Submission],
    rubric: Assignment,
) -> None:
    """Write the page and junit.xml of each report, for students."""
    for result in results:
        files = read_handed_in(submissions[result.name].path, rubric, parse=False)
        page = student_page(result.report, result.folder, files.lines)
        write_text(result.folder / "index.html", page)
        write_text(result.folder / "junit.xml", document(result.report))
