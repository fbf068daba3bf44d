"""Owns a results folder: a report for each key, and the line that says it is there.

Only one process writes it. A report is put in place first, then a line is added to
results.jsonl: whenever the writer is killed, each line has its report, and what has no
line is graded again. Must not know who grades.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from .submissions import Submission

LINES = "results.jsonl"
PICTURES_BYTES = 20_000_000  # of one report


class LedgerError(ValueError):
    """A results folder that cannot be used."""


@dataclass(frozen=True)
class Line:
    """One line of results.jsonl: whose report it is, and what it comes to.

    Attributes:
        name: the platform's name of the submission.
        key: of submission, assignment, secret and versions.
        submission: hash of what was handed in.
        report: the report's folder, below the results folder.
    """

    name: str
    key: str
    submission: str
    report: str
    assignment: str
    score: float
    max_score: float
    gradable: bool
    final: bool


class Ledger:
    """The results folder of one assignment, held by one writer.

    Args:
        folder: made if it is not there.

    Raises:
        LedgerError: another process grades into it, or nobody may write there.

    Example:
        >>> with Ledger(Path("results")) as ledger:  # doctest: +SKIP
        ...     ledger.put(submission, key, report, {})
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock: IO[str] | None = None
        self._lines: dict[str, Line] = {}

    def __enter__(self) -> Ledger:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = open(self.folder / ".lock", "w")
        except OSError as error:
            raise LedgerError(
                f"[grade] got {self.folder}, where no result can be written "
                f"({error.strerror}); need a folder of yours. Give another --to."
            ) from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.close()
            raise LedgerError(
                f"[grade] got {self.folder}, into which another process grades; need "
                "one at a time. Wait for it, or give another folder."
            ) from None
        self._drop_half_a_line()
        self._lines = {line.name: line for line in read_lines(self.folder)}
        return self

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            self._lock.close()

    def require(self, assignment: str) -> None:
        """Refuse to put results of an assignment among those of another.

        Raises:
            LedgerError: there are others here.
        """
        others = {line.assignment for line in self._lines.values()} - {assignment}
        if others:
            raise LedgerError(
                f"[grade] got {self.folder}, which holds results of "
                f"{', '.join(sorted(others))}; need a folder of {assignment} alone. "
                "Give another --to."
            )

    def line_of(self, name: str, key: str) -> Line | None:
        """The line of a submission, if it is of this key."""
        line = self._lines.get(name)
        return line if line is not None and line.key == key else None

    def any_line_of(self, key: str) -> Line | None:
        """A line of this key, whosever it is: equal files are graded once.

        None if its report is gone: it has to be made again.
        """
        if not (self.report_folder(key) / "report.json").is_file():
            return None
        lines = self._lines.values()
        return next((line for line in lines if line.key == key), None)

    def report_folder(self, key: str) -> Path:
        """Where the report of a key is."""
        return self.folder / "reports" / key[:16]

    def put(
        self,
        key: str,
        report: Mapping[str, Any],
        pictures: Mapping[str, bytes],
    ) -> None:
        """Put a report in place; without a line it does not count yet."""
        folder = self.report_folder(key)
        beside = folder.with_name(f".{folder.name}")
        shutil.rmtree(beside, ignore_errors=True)
        (beside / "pictures").mkdir(parents=True)
        for name, data in pictures.items():
            (beside / "pictures" / Path(name).name).write_bytes(data)
        text = json.dumps(report, indent=1, ensure_ascii=False, allow_nan=False)
        (beside / "report.json").write_text(text + "\n", "utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(beside, folder)

    def add_line(self, submission: Submission, key: str) -> Line:
        """Say that a submission's report is the one of this key."""
        folder = self.report_folder(key)
        report = json.loads((folder / "report.json").read_text("utf-8"))
        line = Line(
            name=submission.name,
            key=key,
            submission=submission.sha256,
            report=folder.relative_to(self.folder).as_posix(),
            assignment=report["assignment"],
            score=report["score"],
            max_score=report["max_score"],
            gradable=report["gradable"],
            final=report["final"],
        )
        with open(self.folder / LINES, "a", encoding="utf-8") as lines:
            lines.write(json.dumps(vars(line), ensure_ascii=False) + "\n")
            lines.flush()
            os.fsync(lines.fileno())
        self._lines[line.name] = line
        return line

    def _drop_half_a_line(self) -> None:
        """What a killed writer left behind the last whole line, and half a report."""
        path = self.folder / LINES
        if path.is_file():
            data = path.read_bytes()
            whole = data[: data.rfind(b"\n") + 1]
            if whole != data:
                beside = path.with_name(f".{LINES}")
                beside.write_bytes(whole)
                os.replace(beside, path)
        for left in (self.folder / "reports").glob(".*"):
            shutil.rmtree(left, ignore_errors=True)


def read_lines(folder: Path) -> list[Line]:
    """The lines of a results folder; of several with one name, the last.

    Raises:
        LedgerError: no results.jsonl, or a line that is none.
    """
    path = folder / LINES
    if not path.exists():
        return []
    lines: dict[str, Line] = {}
    text = path.read_text("utf-8")
    if not text:
        return []
    # JSON leaves U+2028 and others in names, at which splitlines would split.
    for number, each in enumerate(text.removesuffix("\n").split("\n"), 1):
        try:
            line = Line(**json.loads(each))
        except (ValueError, TypeError) as error:
            raise LedgerError(
                f"[results] {path}:{number}: got no result ({error}); need a line that "
                "`minitorch course grade` wrote."
            ) from None
        lines[line.name] = line
    return list(lines.values())


def read_results(folder: Path) -> list[tuple[Line, dict[str, Any]]]:
    """Every line of a results folder with its report, by name.

    Raises:
        LedgerError: nothing was graded into it, or a report is gone.
    """
    lines = read_lines(folder)
    if not lines:
        raise LedgerError(
            f"[results] got no {LINES} in {folder}; need a folder that `minitorch "
            "course grade --to` wrote."
        )
    found = []
    for line in sorted(lines, key=lambda each: each.name):
        path = folder / line.report / "report.json"
        try:
            found.append((line, json.loads(path.read_text("utf-8"))))
        except (OSError, ValueError) as error:
            raise LedgerError(f"[results] got {error}; need the report.") from None
    return found
