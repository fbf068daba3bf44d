"""Format a report as text: points, rows by item, findings, counts."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from .advice import KINDS, OUTCOMES, of_row

#: What a kernel's rows are called, in their order; `clean` is what the checks say.
STAGES = {"values": "Values", "clean": "Clean", "cost": "Cost"}

#: What counters count, for bars and tables.
COUNTERS = {
    "global_sectors": "sectors of 32 bytes that loads, stores and atomics ask for",
    "global_bytes": "bytes that loads, stores and atomics ask for",
    "shared_passes": "trips through the banks of shared memory",
    "shared_bank_conflicts": "trips through the banks beyond the first",
    "ptx_warp_instructions": "instructions of whole warps",
    "flops_f32": "additions and multiplications of float32",
    "tensor_flops": "additions and multiplications of the tensor cores",
}

ISOLATION = {
    "confined": "Your code ran in a process of its own, without files to write and "
    "without network.",
    "uid": "Your code ran as another user, without other programs and without network.",
    "process": "Your code ran in a process of its own, which is the weakest of three "
    "levels: hidden rows are not run there.",
}


@dataclass(frozen=True)
class Item:
    """The rows of one graded test: a kernel's values, clean, cost, or a single row."""

    id: str
    task: str
    title: str
    rows: tuple[Mapping[str, Any], ...]

    @property
    def points(self) -> float:
        """Points that were reached."""
        return sum(float(row["points"]) for row in self.rows)

    @property
    def max_points(self) -> float:
        """Points that can be reached."""
        return sum(float(row["max_points"]) for row in self.rows)

    @property
    def says(self) -> str:
        """Headline, such as "3.3 zip on the GPU: 2 of 4 points"."""
        title = self.title
        name = title if title.startswith(self.task) else f"{self.task} {title}"
        return f"{name}: {points_of(self.points, self.max_points)}"


def stage_of(row: Mapping[str, Any]) -> str:
    """`values`, `clean` or `cost` of a kernel's row; "" of a single row.

    Example:
        >>> stage_of({"id": "3.3-zip.clean"}), stage_of({"id": "3.3"})
        ('clean', '')
    """
    before, _, stage = str(row["id"]).rpartition(".")
    return stage if before and stage in STAGES else ""


def items_of(rows: Iterable[Mapping[str, Any]]) -> list[Item]:
    """Group the rows of each graded test, in the report's order."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        stage = stage_of(row)
        name = str(row["id"]).removesuffix(f".{stage}") if stage else str(row["id"])
        groups.setdefault(name, []).append(row)
    items = []
    for name, group in groups.items():
        title = str(group[0]["title"])
        stage = stage_of(group[0])
        if stage:
            title = title.removesuffix(f": {stage}")
        items.append(Item(name, str(group[0]["task"]), title, tuple(group)))
    return items


def students_rows(report: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the rows that a student may see: all but those for staff."""
    return [row for row in report["rows"] if not is_for_staff(row)]


def is_for_staff(row: Mapping[str, Any]) -> bool:
    """Return whether only staff see a row: it is hidden and without points."""
    return bool(row["hidden"] and not row["max_points"])


def amount(value: float) -> str:
    """Format a number for people: integers without a point, others with few digits.

    Example:
        >>> amount(4.0), amount(2.5), amount(12345)
        ('4', '2.5', '12,345')
    """
    is_whole = float(value).is_integer()
    return f"{int(value):,}" if is_whole else f"{value:,.2f}".rstrip("0").rstrip(".")


def sentence(text: str) -> str:
    """Append a full stop to a text without a final punctuation mark.

    Example:
        >>> sentence("a.py:1 does not compile"), sentence("Who owns the total?")
        ('a.py:1 does not compile.', 'Who owns the total?')
    """
    ends_open = text[-1:].isalnum() or text.endswith(("'", '"', "`", ")", "]", "}"))
    return f"{text}." if ends_open else text


def points_of(points: float, most: float) -> str:
    """Return text such as "2 of 4 points"."""
    return f"{amount(points)} of {amount(most)} point{'' if most == 1 else 's'}"


def place_of(finding: Mapping[str, Any]) -> str:
    """Return a position such as "cuda_ops.py:184", or "" if it has no line."""
    file, line = finding.get("file"), finding.get("line")
    if not file:
        return f"line {line}" if line else ""
    name = PurePosixPath(str(file)).name
    return f"{name}:{line}" if line else name


def name_of(finding: Mapping[str, Any]) -> str:
    """Return what a finding of its kind is called, such as "a race"."""
    kind = str(finding["kind"])
    return KINDS[kind].name if kind in KINDS else kind


def finding_says(finding: Mapping[str, Any]) -> str:
    """Describe a finding in one sentence: name, position, then its own message.

    Example:
        >>> finding_says({"kind": "race_global", "file": "a/ops.py", "line": 7})
        'a race: ops.py:7'
    """
    name = name_of(finding)
    position = place_of(finding)
    headline = f"{name}: {position}" if position else name
    if finding.get("race"):
        threads = _two_threads(finding, finding["race"])
        return f"{headline}, {threads}; nothing orders them."
    message = str(finding.get("text") or "").strip()
    if message.startswith("[") and "] " in message:
        message = message.partition("] ")[2]
    return f"{headline}. {message}" if message else headline


def _two_threads(finding: Mapping[str, Any], race: Mapping[str, Any]) -> str:
    """Describe a race: "threads (0,0,0) and (1,0,0) of block (0,0,0) write out[0]"."""
    element = race["element"]
    does, other_does = (
        access if access in ("read", "write") else "use"
        for access in (race["access"], race["other_access"])
    )
    (thread, block), (other, other_block) = (
        (index_of(site["thread"]), index_of(site["block"]))
        for site in (finding, race["other"])
    )
    if does == other_does and block == other_block:
        return f"threads {thread} and {other} of block {block} {does} {element}"
    first, second = f"{thread} of block {block}", f"{other} of block {other_block}"
    if does == other_does:
        return f"thread {first} and thread {second} {does} {element}"
    line = race["other"]["line"]
    suffix = f" on line {line}" if line and line != finding["line"] else ""
    if suffix and race["other"]["file"] != finding["file"]:
        suffix += f" of {PurePosixPath(str(race['other']['file'])).name}"
    return f"thread {first} {does}s {element}, thread {second} {other_does}s it{suffix}"


def index_of(place: Iterable[int] | None) -> str:
    """Format a thread's or block's index: "(15,0,0)"."""
    return f"({','.join(map(str, place or ()))})"


def other_line(finding: Mapping[str, Any]) -> int | None:
    """Return the line of a race's second access, if another one of the same file."""
    other = (finding.get("race") or {}).get("other") or finding
    same = other["file"] == finding["file"] and other["line"] != finding["line"]
    return other["line"] if same else None


def counted(name: str, metric: list[float | None]) -> str:
    """Format a counter: "global_sectors 236, limit 70, solution 64"."""
    got, limit = metric[0], metric[1]
    text = f"{name} {amount(got or 0)}"
    if limit is not None:
        text += f", limit {amount(limit)}"
    if len(metric) > 2 and metric[2] is not None:
        text += f", solution {amount(metric[2])}"
    return text


def row_says(row: Mapping[str, Any]) -> list[str]:
    """Return the text of a row: message, findings, counts, advice, pictures.

    Returns:
        Whole sentences, one a line.
    """
    message = _without(str(row["message"]).strip(), row["findings"])
    sentences = [finding_says(finding) for finding in row["findings"]]
    if sentences and row["outcome"] == "reported":
        parts = [*sentences, message] if message else sentences
    else:
        parts = [message or OUTCOMES[row["outcome"]].means, *sentences]
    if row["outcome"] in ("too_costly", "passed") and row["metrics"]:
        metrics = row["metrics"].items()
        counts = [
            counted(name, metric) for name, metric in metrics if name not in message
        ]
        parts += ["; ".join(counts)] if counts else []
    advice = tried(row)
    if advice:
        parts.append(advice)
    parts += [f"Picture: {picture['file']}" for picture in row["pictures"]]
    return parts


def tried(row: Mapping[str, Any]) -> str:
    """Return advice that a row's own message does not give already, or "".

    What an outcome advises in general is left out where the message has said more than
    what is wrong, and where nothing is written that could be tried.
    """
    message = _without(str(row["message"]).strip(), row["findings"])
    advice = of_row(row)
    general = advice == OUTCOMES[row["outcome"]].advice
    return "" if (general and row["advised"]) or advice in message else advice


def _without(message: str, findings: Iterable[Mapping[str, Any]]) -> str:
    """Return a row's message without what its findings repeat."""
    for finding in findings:
        text = str(finding.get("text") or "")
        name = name_of(finding)
        file, line = finding.get("file"), finding.get("line")
        position = f"{name} at {file}:{line}" if file else name
        for repeated in (f"{position}: {text}", text, f"{position}."):
            if repeated:
                message = message.replace(repeated, "")
    return " ".join(message.split())


def headline(report: Mapping[str, Any], rows: list[Mapping[str, Any]]) -> str:
    """Summarize in one sentence: points, and what to look at first."""
    lost = [row for row in rows if OUTCOMES[row["outcome"]].lost]
    text = points_of(report["score"], report["max_score"])
    if not lost:
        waits = [row for row in rows if row["outcome"] in ("not_run", "manual")]
        return f"{text}: all that was judged is right." if waits else f"{text}: right."
    first = next((finding for finding in lost[0]["findings"] if finding["line"]), None)
    suffix = f", at {place_of(first)}" if first else ""
    many = f"{len(lost)} rows are" if len(lost) > 1 else "one row is"
    return f"{text}: {many} not right yet. Begin with {lost[0]['title']}{suffix}."


def report_says(report: Mapping[str, Any]) -> str:
    """Format a report for a terminal: items with their rows, findings, and advice.

    Args:
        report: of `minitorch.grade/1`.

    Returns:
        Lines of 100 columns at most, where no path is longer.

    Example:
        >>> print(report_says(report))  # doctest: +SKIP
        3.3 zip on the GPU: 2 of 4 points
          right     values on 6 inputs
    """
    rows = students_rows(report)
    lines = [f"{report['assignment']}: {headline(report, rows)}"]
    lines += [
        f"  {message}"
        for message in (*report["format_errors"], report["message"])
        if message and message.rstrip(".") not in lines[0]
    ]
    for item in items_of(rows):
        lines.append(item.says)
        for row in item.rows:
            lines += _row_lines(row)
    if not report["final"]:
        lines.append("This report is not final.")
    return "\n".join(lines) + "\n"


def _row_lines(row: Mapping[str, Any]) -> list[str]:
    word = OUTCOMES[row["outcome"]].word
    stage = stage_of(row)
    first, *more = row_says(row)
    if word == "right" and first.startswith("Right"):
        first = first.removeprefix("Right").strip(" .")
        opening = f"{stage} {first}".strip() or str(row["title"])
    else:
        opening = first if first.startswith(stage or "\n") else f"{stage}: {first}"
        opening = opening.removeprefix(": ")
    width = max(10, len(word) + 2)
    lines = []
    for text in (opening, *more):
        lines += textwrap.wrap(
            text, 100 - 2 - width, break_long_words=False, break_on_hyphens=False
        )
    gap = " " * (2 + width)
    return [f"  {word:<{width}}{lines[0]}", *(gap + line for line in lines[1:])]
