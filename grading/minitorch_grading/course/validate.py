"""Validate an assignment: the solution gets all points, each twin fails as declared.

What the files say is `source_checks`; here they are judged as submissions are.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..rubric.assignment import plain_number
from .source_checks import Problem, problems_of
from .sources import Source, read_source
from .trees import Tree, sources_tree, twin_tree, write_tree
from .twins import Twin, twins_of

# `judge.grade.grade_one`, which this room does not import.
Grade = Callable[..., dict[str, Any]]
# Says how many are judged, of how many.
Progress = Callable[[int, int], None]
_SECRET = b"validate: a class never gets inputs that follow from this"


@dataclass
class Verdict:
    """What a validation found.

    Attributes:
        name: The assignment's.
        problems: What is wrong; empty: it may be released.
        solution: Points of the solution and all points that a judge gives; None until
            judged.
        starter: The same of the starter; None until judged, or if the solution lost
            points: twins and starter are judged beside a right solution only.
        twins: How many twins failed as they should.
    """

    name: str
    problems: list[Problem] = field(default_factory=list)
    solution: tuple[float, float] | None = None
    starter: tuple[float, float] | None = None
    twins: int = 0

    def __str__(self) -> str:
        """Return one line, such as `m3: solution 40/40, starter 0/40, 23 twins fail
        ...`.
        """
        problems = _count(len(self.problems), "problem")
        if self.solution is None:
            if self.problems:
                return f"{self.name}: {problems}"
            return f"{self.name}: its files are right; nothing was judged"
        line = f"{self.name}: solution {_format_score(self.solution)}, "
        if self.starter is None:
            return f"{line}starter and twins not judged; {problems}"
        fail = "fails as it should" if self.twins == 1 else "fail as they should"
        line += f"starter {_format_score(self.starter)}, "
        line += f"{_count(self.twins, 'twin')} {fail}"
        return f"{line}; {problems}" if self.problems else line


def _format_score(score: tuple[float, float]) -> str:
    return "/".join(str(plain_number(points)) for points in score)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


@dataclass(frozen=True)
class _Try:
    """A folder to judge: the solution, the starter, or a twin."""

    name: str
    tree: Tree
    twin: Twin | None = None


def validate(
    folder: Path,
    also: tuple[Path, ...] = (),
    *,
    grade: Grade,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Verdict:
    """Check an assignment's files; then judge its solution, its starter and each twin.

    Args:
        folder: The assignment's.
        also: Where earlier assignments are looked for, too.
        grade: Judges one submission: `grade_one`.
        jobs: How many are judged at once; None: one for each CPU.
        progress: Called after each with the number judged and the number of all.

    Returns:
        the verdict. If files are wrong nothing is judged; if the solution loses points
        nothing else is.

    Example:
        >>> print(validate(Path("assignments/m3"), grade=grade_one))  # doctest: +SKIP
        m3: solution 40/40, starter 0/40, 23 twins fail as they should
    """
    verdict = Verdict(folder.resolve().name, problems_of(folder, also))
    if verdict.problems:
        return verdict
    source = read_source(folder, also)
    tries = list(_tries(source))
    with tempfile.TemporaryDirectory(prefix="minitorch-validate-") as scratch:
        judge = _judge(folder, tries, grade, progress, Path(scratch))
        # The solution alone: the others find what it gave.
        _take(verdict, tries[0], judge(0))
        if verdict.problems:
            return verdict
        with ThreadPoolExecutor(jobs or len(os.sched_getaffinity(0))) as pool:
            reports = pool.map(judge, range(1, len(tries)))
            for attempt, report in zip(tries[1:], reports, strict=True):
                _take(verdict, attempt, report)
    return verdict


def _tries(source: Source) -> Iterator[_Try]:
    yield _Try("the solution", sources_tree(source, "solution"))
    yield _Try("the starter", sources_tree(source, "starter"))
    for twin in twins_of(source.folder):
        yield _Try(twin.name, twin_tree(source, twin), twin)


def _judge(
    folder: Path,
    tries: list[_Try],
    grade: Grade,
    progress: Progress | None,
    scratch: Path,
) -> Callable[[int], dict[str, Any]]:
    """Return a function that judges a try, given by its number, in a new process."""
    kept = scratch / "kept"
    kept.mkdir(mode=0o700)
    done = 0

    def judge(number: int) -> dict[str, Any]:
        nonlocal done
        folder_of_try = scratch / str(number)
        write_tree(tries[number].tree, folder_of_try / "submission")
        report = grade(
            folder,
            folder_of_try / "submission",
            folder_of_try / "report",
            _SECRET,
            cache=kept,
        )
        done += 1
        if progress is not None:
            progress(done, len(tries))
        return report

    return judge


def _take(verdict: Verdict, judged: _Try, report: dict[str, Any]) -> None:
    problems = list(_own_faults(verdict.name, judged, report))
    if judged.twin is not None:
        problems += _twin_problems(verdict.name, judged.twin, report)
        verdict.twins += not problems
    elif judged.name == "the solution":
        verdict.solution = _score(report)
        problems += _wrong_rows(verdict.name, report, "solution")
    else:
        verdict.starter = _score(report)
        problems += _wrong_rows(verdict.name, report, "starter")
    verdict.problems += problems


def _rows(report: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows that the judge decides."""
    return [row for row in report["rows"] if row["outcome"] != "manual"]


def _score(report: dict[str, Any]) -> tuple[float, float]:
    rows = _rows(report)
    return sum(r["points"] for r in rows), sum(r["max_points"] for r in rows)


def _own_faults(name: str, judged: _Try, report: dict[str, Any]) -> Iterator[Problem]:
    """Yield rows that were not judged: a fault of the grader or of this machine."""
    missing = [row for row in _rows(report) if row["outcome"] == "not_run"]
    if missing:
        why = missing[0].get("staff_message") or report.get("message")
        ids = ", ".join(row["id"] for row in missing)
        why = why or "The judge did not come to them."
        words = f"got {ids} not judged ({judged.name}): {why}"
        yield Problem(f"{name}/graded", words)


def _describe(row: dict[str, Any]) -> str:
    """Describe a row's outcome, with the position of its first finding."""
    text = row.get("staff_message") or row.get("message") or ""
    findings = [f for f in row.get("findings", []) if f.get("line")]
    position = f" at {findings[0]['file']}:{findings[0]['line']}" if findings else ""
    return f"{row['outcome']}{position}{': ' + text if text else ''}".rstrip(".\n ")


def _wrong_rows(name: str, report: dict[str, Any], kind: str) -> Iterator[Problem]:
    """Yield rows of the solution without all points, of the starter with any."""
    for row in _rows(report):
        need = row["max_points"] if kind == "solution" else 0
        if row["points"] != need and row["outcome"] != "not_run":
            got = f"{row['points']} of {row['max_points']} points ({_describe(row)})"
            words = f"the {kind} gets {got}; it must get {'all' if need else 'none'}."
            yield Problem(f"{name}/graded, row {row['id']}", words)


def _twin_problems(name: str, twin: Twin, report: dict[str, Any]) -> Iterator[Problem]:
    position = f"{name}/twins/{twin.path.name}:{twin.line}"
    lost = [row for row in _rows(report) if row["points"] < row["max_points"]]
    ids = {row["id"] for row in lost if row["outcome"] != "not_run"}
    rows = {row["id"]: row for row in _rows(report)}
    for row_id in twin.rows:
        if (
            row_id in rows
            and rows[row_id]["outcome"] != "not_run"
            and row_id not in ids
        ):
            yield Problem(position, f"got all points of {row_id}; need it to fail.")
    for row_id in sorted(ids - set(twin.rows)):
        words = f"got {row_id} failed, too ({_describe(rows[row_id])}); need it to pass"
        yield Problem(position, f"{words}, or named in the twin's first line.")
    if ids or not twin.rows:
        relevant = lost if twin.rows else _rows(report)
        yield from _kind_problems(position, twin, relevant)


def _kind_problems(
    position: str, twin: Twin, lost: list[dict[str, Any]]
) -> Iterator[Problem]:
    seen = {row["outcome"] for row in lost} - {"not_yet", "not_run", "reported"}
    seen |= {f["kind"] for row in lost for f in row.get("findings", [])}
    for kind in twin.kinds:
        if kind not in seen:
            got = ", ".join(sorted(seen)) or "no kind"
            why = "; ".join(f"{row['id']}: {_describe(row)}" for row in lost[:2])
            yield Problem(position, f"got {got}; need {kind}. {why}.")
