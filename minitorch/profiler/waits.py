"""Waits of the host: line, reason and time."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from .event_building import History
from .records import Records
from .table import format_time

# What each reason means, in the order of the recorder's.
REASONS = {
    "explicit": "synchronize() was called",
    "value": "the host read a number that was on the device",
    "copy": "a copy from or to host memory that is not page-locked",
    "queue_full": "the launch queue was full",
    "memory": "memory had to be freed before more could be allocated",
    "exchange": "memory was passed to another library",
}


@dataclass(frozen=True)
class WaitRow:
    """Waits for one reason at one line.

    Attributes:
        reason: "explicit", "value", "copy", "queue_full", "memory" or "exchange".
        line: the learner's, "train.py:12"; "" where none is known.
        count: how often.
        seconds: how long, together.
    """

    reason: str
    line: str
    count: int
    seconds: float


class Waits(list[WaitRow]):
    """Rows of waits, longest first; prints as a table."""

    def table(self) -> str:
        """Return the rows as text, with the meaning of each reason."""
        if not self:
            return (
                "The host never waited. If launching was slow nevertheless, the "
                "computer was busy: the emulator's threads run on its cores, too.\n"
            )
        width = max(len("Line"), *(len(row.line) for row in self))
        lines = [f"{'Reason':<10}  {'Line':<{width}}  {'Count':>7}  {'Time':>10}"]
        for row in self:
            time = format_time(row.seconds * 1e6)
            meaning = REASONS.get(row.reason, "")
            lines.append(
                f"{row.reason:<10}  {row.line:<{width}}  {row.count:>7}  {time:>10}  "
                f"{meaning}".rstrip()
            )
        return "\n".join([*lines, ""])

    def __str__(self) -> str:
        return self.table()


def waits_of(records: Records) -> Waits:
    """Sum up waits by reason and line.

    A wait without a line of its own has that of the scope around it; inside a node that
    goes back, the forward's.
    """
    lengths: dict[tuple[str, str], list[int]] = defaultdict(list)
    history = History(records)
    for wait in records.waits:
        line = history.site_of_wait(wait)
        length = (wait["end"] or records.end) - wait["begin"]
        lengths[wait["reason"], line].append(length)
    rows = [
        WaitRow(*key, len(nanoseconds), sum(nanoseconds) / 1e9)
        for key, nanoseconds in lengths.items()
    ]
    return Waits(sorted(rows, key=lambda row: -row.seconds))
