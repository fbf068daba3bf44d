"""The results folder of a class: a report for each submission, and scores.csv.

    reports/NAME/   report.json, pictures/, index.html, junit.xml; `key`, a hash of all
                    that the report follows from: while it is the same, it is kept
    scores.csv      a line for each submission, with the teacher's column `override`

A line in a cell of `override` changes the points of one row: `ROW = POINTS: REASON`.
The column is read before the file is written again.
"""

from __future__ import annotations

import csv
import fcntl
import io
import os
import re
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..report.report import load_report, write_json
from ..rubric.assignment import plain_number
from .cluster import Graded
from .submissions import Submission, as_text

CSV = "scores.csv"
#: A cell that begins so is a formula to spreadsheets; a name may not be one.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")
_OVERRIDE = re.compile(r"\s*([^\s=]+)\s*=\s*(\d{1,7}(?:\.\d+)?)\s*:\s*(.*\S)\s*")


@dataclass(frozen=True)
class Override:
    """A teacher's points for one row, and the reason."""

    row: str
    points: float
    reason: str


@dataclass(frozen=True)
class Result:
    """A submission's report, with a teacher's overrides, and its folder."""

    name: str
    folder: Path
    report: Mapping[str, Any]

    @property
    def sha256(self) -> str:
        """Hash of the files that count, as in reports and on pages."""
        return str(self.report["submission"]["sha256"])

    @property
    def counts(self) -> bool:
        """Whether the score counts; after a fault of the grader it does not."""
        return bool(self.report["final"]) or self.report["isolation"] == "process"


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Lock the results folder for a grading, and remove what a killed one left.

    Raises:
        UsageError: another process grades into it, or nobody may write there.
    """
    try:
        (folder / "reports").mkdir(parents=True, exist_ok=True)
        lock = os.open(folder / ".lock", os.O_CREAT | os.O_WRONLY)
    except OSError as error:
        raise UsageError(
            f"[grade] cannot write to {folder} ({error.strerror}). Choose another "
            "folder: --to."
        ) from None
    with os.fdopen(lock, "w"):
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UsageError(
                f"[grade] another process is grading into {folder}. Wait for it, or "
                "choose another folder."
            ) from None
        for left in (folder / "reports").glob(".*"):
            shutil.rmtree(left, ignore_errors=True)
        yield


def known_report(folder: Path, submission: Submission, key: str) -> Any:
    """Return the submission's report if it has this key, else None."""
    path = folder / "reports" / submission.folder
    with suppress(OSError, ValueError):
        if (path / "key").read_text() == key:
            return load_report(path)
    return None


def put(folder: Path, submission: Submission, key: str, graded: Graded) -> None:
    """Replace the report of a submission atomically."""
    path = folder / "reports" / submission.folder
    partial = path.with_name(f".{key}")
    (partial / "pictures").mkdir(parents=True)
    for name, data in graded["pictures"].items():
        (partial / "pictures" / Path(name).name).write_bytes(data)
    write_json(partial / "report.json", graded["report"])
    (partial / "key").write_text(key)
    shutil.rmtree(path, ignore_errors=True)
    os.replace(partial, path)


def read_results(folder: Path, names: Collection[str] | None = None) -> list[Result]:
    """Return all results of a folder by name, with the overrides of scores.csv.

    Args:
        folder: what `minitorch course grade --to` wrote.
        names: submissions to take; None: all that were ever graded into the folder.

    Raises:
        UsageError: no results there, or an override that cannot be read.
        ValueError: a report is gone.
    """
    overrides = read_overrides(folder)
    reports = folder / "reports"
    results = []
    for path in sorted(reports.iterdir()) if reports.is_dir() else ():
        name = as_text(path.name)
        if path.name.startswith(".") or (names is not None and name not in names):
            continue
        report = overridden(load_report(path), overrides.get(name, ()))
        results.append(Result(name, path, report))
    if not results:
        raise UsageError(
            f"[results] there are no reports in {folder}; need a folder that "
            "`minitorch course grade --to` wrote."
        )
    return results


def find_result(folder: Path, word: str) -> Result | None:
    """Return the result that a person names, or None.

    Args:
        folder: what `minitorch course grade --to` wrote.
        word: a submission's name, or 4 digits or more of the code on its page.

    Raises:
        UsageError: as `read_results`; digits with which several codes begin.
    """
    results = read_results(folder)
    for result in results:
        if result.name == word:
            return result
    code = word.lower()
    fits = [result for result in results if result.sha256.startswith(code) and code[3:]]
    if len({result.sha256 for result in fits}) > 1:
        known = ", ".join(f"{result.sha256[:8]} of {result.name}" for result in fits)
        raise UsageError(
            f"[report] {word!r} matches {len(fits)} codes: {known}. Give more digits, "
            "or a name."
        )
    return fits[0] if fits else None


def read_overrides(folder: Path) -> dict[str, list[Override]]:
    """Return the overrides of scores.csv by submission, or {} without the file.

    Raises:
        UsageError: no table, or a cell that is no `ROW = POINTS: REASON`.
    """
    try:
        text = (folder / CSV).read_text("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:
        raise UsageError(f"[{CSV}] not valid UTF-8: {error}.") from None
    table = csv.DictReader(io.StringIO(text, newline=""))
    if not {"name", "override"} <= set(table.fieldnames or ()):
        got = text.partition("\n")[0]
        raise UsageError(
            f"[{CSV}] got the header {got!r}; need the columns `name` and `override`, "
            "separated by commas."
        )
    overrides: dict[str, list[Override]] = {}
    for line in table:
        name = (line["name"] or "").removeprefix("'")
        for change in (line["override"] or "").split("\n"):
            if change.strip():
                overrides.setdefault(name, []).append(_override(name, change))
    return overrides


def _override(name: str, text: str) -> Override:
    match = _OVERRIDE.fullmatch(text)
    if match is None:
        raise UsageError(
            f"[{CSV}] cannot read the override {text!r} of {name}; need ROW = POINTS: "
            "REASON, such as `3.3-zip.clean = 1: The race was in our code.`"
        )
    return Override(match[1], float(match[2]), match[3])


def check_overrides(
    overrides: Mapping[str, Iterable[Override]], names: Collection[str], rows: list[str]
) -> None:
    """Raise if an override fits no submission or no row.

    Raises:
        UsageError: which one.
    """
    for name, changes in overrides.items():
        if name not in names:
            raise UsageError(
                f"[{CSV}] got an override of {name!r}, who handed in nothing. Correct "
                "the name, or empty the cell."
            )
        for change in changes:
            if change.row not in rows:
                raise UsageError(
                    f"[{CSV}] got an override of row {change.row!r} for {name}; need "
                    f"one of {', '.join(rows)}."
                )


def overridden(
    report: Mapping[str, Any], overrides: Iterable[Override]
) -> dict[str, Any]:
    """Return a report with a teacher's points; the last override of a row counts.

    Rows that were changed have `override`: points before, and the reason.
    """
    rows = {row["id"]: dict(row) for row in report["rows"]}
    check_overrides({"": overrides}, [""], list(rows))
    for change in overrides:
        row = rows[change.row]
        before = row.get("override", {}).get("before", row["points"])
        row["override"] = {"before": before, "reason": change.reason}
        row["points"] = plain_number(change.points)
    score = plain_number(sum(float(row["points"]) for row in rows.values()))
    return {**report, "rows": list(rows.values()), "score": score}


def scores_csv(results: Sequence[Result]) -> str:
    """Return scores.csv: a line for each submission, a column for each row.

    A score that must not count is an empty cell, never 0.
    """
    ids = dict.fromkeys(
        row["id"] for result in results for row in result.report["rows"]
    )
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    first = ("name", "code", "score", "max_score", "final", "gradable", "override")
    table.writerow([*first, *ids])
    for result in results:
        report, rows = result.report, result.report["rows"]
        points = {row["id"]: row["points"] for row in rows if result.counts}
        changes = [
            f"{row['id']} = {plain_number(row['points'])}: {row['override']['reason']}"
            for row in rows
            if "override" in row
        ]
        table.writerow(
            [
                f"'{result.name}" if result.name.startswith(_FORMULA) else result.name,
                result.sha256[:8],
                report["score"] if result.counts else "",
                report["max_score"],
                *("yes" if report[fact] else "no" for fact in ("final", "gradable")),
                "\n".join(changes),
                *(points.get(row, "") for row in ids),
            ]
        )
    return text.getvalue()
