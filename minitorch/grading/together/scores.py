"""Owns what a class's results come to: scores.csv, the median, how each row was met.

Must not know workers or pages.
"""

from __future__ import annotations

import csv
import io
import os
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .ledger import Line, read_results
from .overrides import FILE, Override, by_name, changed, read_overrides

#: A cell that begins so is a formula to spreadsheets; a name may not be one.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True)
class Result:
    """A submission's line, its report with a teacher's overrides in place, its page.

    Who handed in equal files shares a report; pages are each student's own.
    """

    line: Line
    report: Mapping[str, Any]
    page: str

    @property
    def name(self) -> str:
        """The platform's name."""
        return self.line.name

    @property
    def short(self) -> str:
        """How its hash begins, as pages and comparisons say it."""
        return self.sha256[:4]

    @property
    def sha256(self) -> str:
        """The hash of what was handed in, as reports and pages say it."""
        return _sha256(self.report)


def _sha256(report: Mapping[str, Any]) -> str:
    return str(report["submission"]["sha256"])


def class_results(
    folder: Path, overrides: Path | None = None, names: Iterable[str] | None = None
) -> list[Result]:
    """Every result of a folder, by name, with overrides in place.

    Args:
        folder: what `minitorch course grade --to` wrote.
        overrides: the teacher's file; None: `overrides.toml` in the folder.
        names: submissions to take; None: all that were ever graded into the folder.

    Raises:
        LedgerError: no results there.
        OverrideError: a fault of the file, a row that the reports do not have, digits
            that begin the hashes of different files.
    """
    found = read_results(folder)
    if names is not None:
        taken = set(names)
        found = [(line, report) for line, report in found if line.name in taken]
    hashes = {line.name: _sha256(report) for line, report in found}
    told = by_name(read_overrides(overrides or folder / FILE), hashes)
    results, pages = [], Counter[str]()
    for line, report in found:
        pages[line.report] += 1
        number = pages[line.report]
        page = f"index-{number}.html" if number > 1 else "index.html"
        changed_report = changed(report, line.name, told[line.name])
        results.append(Result(line, changed_report, f"{line.report}/{page}"))
    return results


def unused(told: Sequence[Override], results: Sequence[Result]) -> list[Override]:
    """Overrides that speak of no submission of these: perhaps a slip of the pen."""
    return [
        each
        for each in told
        if not any(each.is_for(one.name, one.sha256) for one in results)
    ]


def find_result(folder: Path, word: str) -> Result | None:
    """The result that a person names; None if there is none.

    Args:
        folder: what `minitorch course grade --to` wrote.
        word: a submission's name, the folder of its report, or 4 digits or more of the
            code on its page.

    Raises:
        LedgerError, OverrideError: as `class_results`.
        ValueError: digits that begin the codes of different files.
    """
    results = class_results(folder)
    for each in results:
        if word in (each.name, Path(each.line.report).name):
            return each
    code = word.lower()
    fits = [each for each in results if each.sha256.startswith(code) and code[3:]]
    if len({each.sha256 for each in fits}) > 1:
        known = ", ".join(f"{each.sha256[:8]} of {each.name}" for each in fits)
        raise ValueError(
            f"[report] got {word!r}, with which {len(fits)} codes begin: {known}; need "
            "more digits of one, or a name."
        )
    return fits[0] if fits else None


@dataclass(frozen=True)
class Numbers:
    """A class in numbers.

    Attributes:
        count: submissions.
        median: of the scores that count; None where there is none.
        max_score: what can be reached.
        not_gradable: how many had missing files or syntax errors.
        not_final: how many must not be published.
        rows: of each row, how many submissions had each outcome.
    """

    count: int
    median: float | None
    max_score: float
    not_gradable: int
    not_final: int
    rows: Mapping[str, Counter[str]]


def numbers_of(results: Sequence[Result]) -> Numbers:
    """Count a class. Scores that are not final are not in the median."""
    scores = [each.report["score"] for each in results if counts(each)]
    rows: dict[str, Counter[str]] = {}
    for each in results:
        for row in each.report["rows"]:
            rows.setdefault(row["id"], Counter())[row["outcome"]] += 1
    return Numbers(
        count=len(results),
        median=statistics.median(scores) if scores else None,
        max_score=max((each.report["max_score"] for each in results), default=0),
        not_gradable=sum(not each.report["gradable"] for each in results),
        not_final=sum(not each.report["final"] for each in results),
        rows=rows,
    )


def counts(result: Result) -> bool:
    """Whether a score is one: a fault of the grader is not."""
    report = result.report
    return bool(report["final"]) or report["isolation"] == "process"


def scores_csv(results: Sequence[Result]) -> str:
    """scores.csv: a line for each submission, a column for each row.

    A score that must not count is an empty cell, never 0.
    """
    names = list(dict.fromkeys(row["id"] for each in results for row in _rows(each)))
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["name", "score", "max_score", "final", "gradable", *names])
    for each in results:
        points = {row["id"]: row["points"] for row in _rows(each)}
        score = each.report["score"] if counts(each) else ""
        name = f"'{each.name}" if each.name.startswith(_FORMULA) else each.name
        state = [_yes(each.report["final"]), _yes(each.report["gradable"])]
        cells = [points.get(row, "") if counts(each) else "" for row in names]
        table.writerow([name, score, each.report["max_score"], *state, *cells])
    return text.getvalue()


def _rows(result: Result) -> list[Mapping[str, Any]]:
    rows: list[Mapping[str, Any]] = result.report["rows"]
    return rows


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def write_text(path: Path, text: str) -> None:
    """Replace a file in one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.part")
    beside.write_text(text, "utf-8")
    os.replace(beside, path)
