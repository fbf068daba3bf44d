"""`minitorch.grade/1`: the report's fields, their size limits, and how it is written.

Its schema is report.schema.json beside this file. The report is written with all rows
`not_run` before anything is judged, then replaced whole, row by row: a judge that is
killed leaves a report that is valid.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict

import msgspec

from ..errors import UsageError
from ..rubric.assignment import plain_number

# Three lines: of which file and line, the line itself, marks below it.
_POINTED = re.compile(
    r'\s*File "(?:[^"\n]*[/\\])?([^"\n]+)", line (\d+)\n *([^\n]*)(?:\n\s*\^+)?'
)

SCHEMA: Literal["minitorch.grade/1"] = "minitorch.grade/1"
TEXT_BYTES = 4096  # of a message
REPORT_BYTES = 900_000
FINDINGS, PICTURES, FORMAT_ERRORS = 32, 16, 64  # of a row, of a row, of a report
VALUES = 40  # lines of a finding with values of variables


Index = Annotated[list[int], msgspec.Meta(min_length=3, max_length=3)]


class LineValues(TypedDict):
    """Values that variables of a line had when something was found: "i = 8, n = 8"."""

    line: int
    text: str


class SiteReport(TypedDict):
    """Where an access was: the student's line, block and thread, as far as known, and
    values of the thread's variables.
    """

    file: str | None
    line: int | None
    block: Index | None
    thread: Index | None
    values: list[LineValues]


class RaceReport(TypedDict):
    """What two threads do to which element, and the name of what would order them."""

    element: str
    access: str
    other_access: str
    remedy: str
    other: SiteReport


class FindingReport(SiteReport):
    """One finding of a launch. In hidden rows its place and text are omitted."""

    kind: str
    severity: str
    text: str
    race: RaceReport | None


class Picture(TypedDict):
    """A picture of the report: `file` is `pictures/NAME`, `label` a sentence."""

    label: str
    file: str


class RowReport(TypedDict):
    """One row. `metrics` by counter: the count, limit, the solution's count;
    `advised`: whether its message says what to do, or there is nothing to advise.
    """

    id: str
    task: str
    title: str
    points: int | float
    max_points: int | float
    hidden: bool
    visibility: str
    message: str
    advised: bool
    staff_message: str
    outcome: str
    findings: list[FindingReport]
    metrics: dict[str, list[int | float | None]]
    pictures: list[Picture]
    seconds: float


class SubmissionReport(TypedDict):
    """The submission: a hash of the files that count, and their names."""

    sha256: str
    files: list[str]


class GraderReport(TypedDict):
    """The grader: versions, and a hash of the assignment's files."""

    version: str
    bundle_sha256: str
    nvrtc: str | None
    python: str


class GradeReport(TypedDict):
    """The complete report, as in its JSON file."""

    schema: Literal["minitorch.grade/1"]
    assignment: str
    submission: SubmissionReport
    grader: GraderReport
    isolation: str
    gradable: bool
    final: bool
    message: str
    format_errors: list[str]
    score: int | float
    max_score: int | float
    seconds: float
    package_file: str | None
    rows: list[RowReport]
    leaderboard: list[Any]


def cut(text: str, size: int = TEXT_BYTES) -> str:
    """Truncate to `size` bytes of UTF-8, without control characters but line ends."""
    text = "".join(char for char in text if char.isprintable() or char in "\n\t")
    data = text.encode("utf-8", "replace")
    if len(data) <= size:
        return data.decode("utf-8")
    return data[: size - 4].decode("utf-8", "ignore") + " ..."


def without_folders(text: str) -> str:
    """Shorten a compiler's reference to a line to the form that students use.

    The path is one of this machine, or of a copy that is there for a grading alone.

    Example:
        >>> without_folders('got a list.\\n  File "/a/b.py", line 3\\n    x = []')
        'got a list. At b.py:3: `x = []`.'
    """
    return _POINTED.sub(lambda match: f" At {match[1]}:{match[2]}: `{match[3]}`.", text)


class ReportFile:
    """A report on disk, replaced atomically by each change.

    Args:
        path: report.json; its folder is made.
        report: all fields. Rows should be `not_run` and `final` false at first.

    Example:
        >>> file = ReportFile(folder / "report.json", report)  # doctest: +SKIP
        >>> file.put(row)  # doctest: +SKIP
    """

    def __init__(self, path: Path, report: GradeReport) -> None:
        self.path = path
        self.report = report
        self.write()

    def put(self, rows: Iterable[RowReport]) -> None:
        """Replace the rows with the same ids, and write the file.

        Raises:
            KeyError: a row that the report does not have.
        """
        places = {row["id"]: n for n, row in enumerate(self.report["rows"])}
        for row in rows:
            self.report["rows"][places[row["id"]]] = row
        self.write()

    def write(self, **changes: Any) -> None:
        """Change fields of the report, add up the score and replace the file."""
        self.report.update(changes)  # type: ignore[typeddict-item]
        rows = self.report["rows"]
        self.report["score"] = plain_number(sum(row["points"] for row in rows))
        write_text(self.path, text_of(self.report))


def write_text(path: Path, text: str) -> None:
    """Replace a file atomically; create its folder if needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    partial.write_text(text, "utf-8")
    os.replace(partial, path)


def write_json(path: Path, value: Any) -> None:
    """Replace a JSON file atomically; NaN is refused."""
    write_text(path, _json(value))


def text_of(report: GradeReport) -> str:
    """Return the report as JSON within the size limit; long texts are cut."""
    kept: Any = _capped(report)
    text = _json(kept)
    for key in ("staff_message", "findings", "message"):
        if len(text.encode()) <= REPORT_BYTES:
            break
        for row in kept["rows"]:
            row[key] = [] if key == "findings" else cut(row[key], 200)
        text = _json(kept)
    return text


def _json(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _capped(value: Any, key: str = "") -> Any:
    """Return a copy with texts cut, lists shortened and numbers that JSON can hold."""
    if isinstance(value, str):
        return cut(value)
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        return plain_number(value)
    if isinstance(value, Mapping):
        return {str(name): _capped(entry, str(name)) for name, entry in value.items()}
    sizes = {
        "findings": FINDINGS,
        "pictures": PICTURES,
        "values": VALUES,
        "format_errors": FORMAT_ERRORS,
    }
    return [_capped(entry) for entry in list(value)[: sizes.get(key)]]


def load_report(path: str | Path) -> GradeReport:
    """Read a report from a file, or from the folder that holds report.json.

    Raises:
        UsageError: no such file, no JSON, or not a report of this schema.
    """
    path = Path(path)
    path = path / "report.json" if path.is_dir() else path
    try:
        return msgspec.json.decode(path.read_bytes(), type=GradeReport)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"[report] {path} is not a report of {SCHEMA!r}: {error}."
        ) from None
