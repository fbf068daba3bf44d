"""Rows of a graded test: points and messages.

A row that is hidden tells students its kind and the teacher's advice: no inputs,
values, output, messages of exceptions, exact counts, seconds or lines that a program
comes to, which all carry inputs out. What staff read stands in `staff_message`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..report.report import (
    FindingReport,
    Picture,
    RowReport,
    SiteReport,
    cut,
    without_folders,
)
from ..report.words import name_of, sentence
from ..rubric.assignment import Item, Row, plain_number
from .cost import Costs, Limit

Locate = Callable[[str, int], tuple[str, int]]

#: How an end begins where a student has not begun: there is nothing to advise.
NOT_WRITTEN = "This is not written yet"

# Kinds of findings that a hidden row tells: one for each bit of an input would tell it.
_MOST_HIDDEN = 3
_VALUES = 200  # bytes of the values of a line's variables


@dataclass(eq=False)
class Ended(Exception):
    """Raised when a row ends through the student's code, never the grader's fault.

    Attributes:
        outcome: One of the report's.
        plain: A sentence for students, without inputs, values or output.
        details: What public rows and staff may read besides.
        file, line: The student's own line, where it is known.
        before_inputs: Was that line known before there was an input? Hidden rows may
            tell it: with inputs a program chooses its line by them.
        unread: Nothing of it ran, so that there is nothing to advise: it is not
            written, or its file does not import.
    """

    outcome: str
    plain: str
    details: str = ""
    file: str | None = None
    line: int | None = None
    before_inputs: bool = False
    unread: bool = False


@dataclass
class Record:
    """What one graded test has found out so far.

    Attributes:
        findings: Of the runner: kind, severity, file, line, block, thread, text.
        compared: How many values were judged.
        drawn: Was a picture tried? One is, whether it succeeds or not.
        share: Of the points, by `submission.partial`; `remark` is its sentence.
        notes: For staff.
    """

    item: Item
    limits: tuple[Limit, ...] = ()
    costs: Costs = field(default_factory=Costs)
    findings: list[FindingReport] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    drawn: bool = False
    compared: int = 0
    share: float = 1.0
    remark: str = ""
    notes: list[str] = field(default_factory=list)

    def add_values(self, findings: Sequence[FindingReport]) -> None:
        """Replace findings by those of another build, which have values."""
        known = [(_sites(finding), finding) for finding in findings]
        for number, finding in enumerate(self.findings):
            for sites, other in known:
                if sites == _sites(finding):
                    self.findings[number] = {**other, "text": finding["text"]}

    @property
    def errors(self) -> list[FindingReport]:
        return [finding for finding in self.findings if finding["severity"] == "error"]

    @property
    def noted(self) -> list[FindingReport]:
        """Races without effect: all threads store the same value."""
        return [
            finding for finding in self.findings if finding["kind"] == "race_benign"
        ]


def blank_row(row: Row, outcome: str = "not_run", message: str = "") -> RowReport:
    """Return a row without points."""
    return {
        "id": row.id,
        "task": row.task,
        "title": row.title,
        "points": 0,
        "max_points": plain_number(row.points),
        "hidden": row.hidden,
        "visibility": "visible",
        "message": message,
        "advised": False,
        "staff_message": "",
        "outcome": "manual" if row.manual else outcome,
        "findings": [],
        "metrics": {},
        "pictures": [],
        "seconds": 0.0,
    }


def rows_of(record: Record, ended: Ended | None, locate: Locate) -> list[RowReport]:
    """Return the rows of a test that ran to its end, or to `ended`.

    Args:
        record: What it found out.
        ended: Why it did not get to its end, or None.
        place: The student's own place of a file and line.
    """
    stages = record.item.rows
    rows: list[RowReport] = []
    lost = False
    for stage in stages:
        if lost:
            before = rows[-1]["title"].rpartition(": ")[2]
            text = f"This is judged once the row before it ({before}) is right."
            rows.append(blank_row(stage, "not_yet", text))
            continue
        row = _stage_row(record, stage, ended, locate)
        lost = row["outcome"] != "passed"
        rows.append(row)
    return rows


def _stage_row(
    record: Record, stage: Row, ended: Ended | None, locate: Locate
) -> RowReport:
    stages = [row.stage for row in record.item.rows]
    first, last = stage.stage == stages[0], stage.stage == stages[-1]
    clean = stage.stage == "clean" or ("clean" not in stages and last)
    if first and ended is not None:
        return _ended_row(record, stage, ended, locate)
    if clean and record.errors:
        return _reported_row(record, stage, locate)
    if stage.stage in ("cost", "") and record.limits:
        return _cost_row(record, stage)
    if first and record.share < 1:
        return _partial_row(record, stage)
    return _passed(record, stage, clean, locate)


def _ended_row(record: Record, stage: Row, ended: Ended, locate: Locate) -> RowReport:
    if ended.outcome == "failed" and record.errors:
        row = _reported_row(record, stage, locate)
        row["staff_message"] = cut(f"{ended.details}\n{row['staff_message']}")
        return row
    row = blank_row(stage, ended.outcome)
    position = ""
    if ended.file is not None and ended.line:
        file, line = locate(ended.file, ended.line)
        position = f" ({file}:{line})"
    staff = [f"{ended.details}{position}", *record.notes]
    if stage.hidden and not ended.before_inputs:
        position = ""
    plain = (
        sentence(f"{ended.plain.rstrip('.')}{position}") if position else ended.plain
    )
    more = without_folders(ended.details)
    if ended.unread or ended.outcome == "does_not_compile":
        stage = replace(stage, advice="")  # it is about values
    _set_message(row, stage, sentence(plain), more)
    row["advised"] = row["advised"] or ended.unread
    row["staff_message"] = cut("\n".join(staff))
    _set_findings(row, record, stage, locate)
    return row


def _reported_row(record: Record, stage: Row, locate: Locate) -> RowReport:
    timeout = record.errors[0]["kind"] == "timeout"
    row = blank_row(stage, "timeout" if timeout else "reported")
    _set_findings(row, record, stage, locate)
    first = next(
        finding for finding in row["findings"] if finding["severity"] == "error"
    )
    words = (
        f"{_describe(first)}."
        if stage.hidden
        else f"{_describe(first)}: {first['text']}"
    )
    _set_message(row, stage, words)
    row["staff_message"] = cut(
        "\n".join([finding["text"] for finding in record.errors[:4]] + record.notes)
    )
    return row


def _cost_row(record: Record, stage: Row) -> RowReport:
    row = blank_row(stage, "passed")
    metrics, notes = record.costs.metrics(record.limits), list(record.notes)
    above = record.costs.exceeded(record.limits)
    if stage.hidden:
        notes = [*above, *notes]
        above = record.costs.exceeded(record.limits, exact=False)
    else:
        row["metrics"] = metrics
    if not above:
        row["points"] = plain_number(stage.points)
        row["message"] = "The counts are within their limits."
        return row
    row["outcome"] = "too_costly"
    _set_message(row, stage, " ".join(above))
    row["staff_message"] = cut("\n".join(notes))
    return row


def _partial_row(record: Record, stage: Row) -> RowReport:
    row = blank_row(stage, "partial" if record.share > 0 else "failed")
    row["points"] = plain_number(stage.points * record.share)
    _set_message(row, stage, record.remark)
    row["advised"] = True
    row["staff_message"] = cut("\n".join(record.notes))
    return row


def _passed(record: Record, stage: Row, clean: bool, locate: Locate) -> RowReport:
    """Return a row with all points; the `clean` row gets the notes of the checks."""
    row = blank_row(stage, "passed")
    row["points"] = plain_number(stage.points)
    count = record.compared
    praise = f"Right on {count} input{'s' * (count != 1)}." if count else "Right."
    if stage.stage == "clean":
        praise = "The checks have found no mistake."
    row["message"] = record.remark or praise
    if clean and record.noted:
        names = dict.fromkeys(map(name_of, record.noted))
        row["message"] = f"{row['message']} A note: {', '.join(names)}."
        if not stage.hidden:  # the line of a note would tell something of the inputs
            _set_findings(row, record, stage, locate)
    noted = [finding["text"] for finding in record.noted[:4]] if clean else []
    row["staff_message"] = cut("\n".join([*noted, *record.notes]))
    return row


def _set_message(row: RowReport, stage: Row, plain: str, more: str = "") -> None:
    """Write the students' message, with advice at the end; hidden rows omit `more`."""
    parts = [plain] if stage.hidden else [plain, more]
    if stage.advice:
        parts = [*map(sentence, parts), stage.advice]
    row["message"] = cut(" ".join(part for part in parts if part))
    row["advised"] = len(list(filter(None, parts))) > 1


def _set_findings(row: RowReport, record: Record, stage: Row, locate: Locate) -> None:
    """Add findings, errors first, each kind and line once, and pictures; hidden rows
    omit pictures and details.
    """
    unique: dict[tuple[Any, ...], FindingReport] = {}
    order = {"error": 0, "warning": 1, "note": 2}
    for finding in sorted(record.findings, key=lambda one: order[one["severity"]]):
        values, race = not unique, finding["race"]  # pages quote the first finding
        entry = {**finding, **_located(finding, locate, values)}
        if race:
            other = {**race["other"], **_located(race["other"], locate, values)}
            entry["race"] = {**race, "other": other}
        if stage.hidden:
            entry |= dict.fromkeys(("file", "line", "block", "thread", "race"))
            entry |= {"text": "", "values": []}
        key = (entry["kind"], entry["file"], entry["line"])
        unique.setdefault(key, entry)  # type: ignore[arg-type]
    row["findings"] = list(unique.values())[: _MOST_HIDDEN if stage.hidden else None]
    row["pictures"] = [] if stage.hidden else list(record.pictures)


def _located(site: SiteReport, locate: Locate, values: bool) -> dict[str, Any]:
    """Return file, line and perhaps values of a site by the student's own positions."""
    file, line = site["file"], site["line"]
    if file is None or not line:
        return {"values": []}
    own_file, own_line = locate(file, line)
    located = [
        {"line": position[1], "text": cut(entry["text"], _VALUES)}
        for entry in site["values"]
        for position in [locate(file, entry["line"])]
        if values and position[0] == own_file
    ]
    return {"file": own_file, "line": own_line, "values": located}


def _sites(finding: FindingReport) -> list[Any]:
    """Return the kind of a finding and its sites, which no build changes."""
    race = finding["race"]
    sites: list[SiteReport] = [finding, race["other"]] if race else [finding]
    return [
        finding["kind"],
        *(
            (site["file"], site["line"], site["block"], site["thread"])
            for site in sites
        ),
    ]


def _describe(finding: Any) -> str:
    """Describe a finding, such as `a race at minitorch/cuda_ops.py:184`."""
    name = name_of(finding)
    if finding["file"] is None or finding["line"] is None:
        return name
    return f"{name} at {finding['file']}:{finding['line']}"
