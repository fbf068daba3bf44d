"""Nest the spans of a host thread.

One rule for tables, traces and pictures: an event is inside the innermost one that is
open when it begins. Of two that overlap the later ends with the earlier, so that the
events of a thread always nest or are disjoint, and no time is counted twice.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from .records import Record, Records, call_name, scope_name, takes_device_time

Kind = Literal["scope", "call", "wait"]


@dataclass(eq=False, slots=True)
class Span:
    """A time on a host thread: a scope, a call of the driver, or a wait.

    Attributes:
        begin, end: nanoseconds; `end` may be cut to the parent's.
    """

    kind: Kind
    record: Record
    begin: int
    end: int
    parent: Span | None = None

    @property
    def name(self) -> str:
        """Its name in tables and traces."""
        if self.kind == "call":
            return call_name(self.record)
        if self.kind == "wait":
            return f"Wait ({self.record['reason']})"
        return scope_name(self.record)

    def outwards(self) -> Iterator[Span]:
        """Yield the span and those around it, innermost first."""
        span: Span | None = self
        while span is not None:
            yield span
            span = span.parent

    def scope(self) -> Span | None:
        """Return the innermost scope: itself, or the nearest around it."""
        return next((span for span in self.outwards() if span.kind == "scope"), None)


def nest(spans: Iterable[Span]) -> list[Span]:
    """Set the parents of one thread's spans; return them in order."""
    ordered = sorted(spans, key=lambda span: (span.begin, -span.end))
    open_now: list[Span] = []
    for span in ordered:
        while open_now and span.begin >= open_now[-1].end:
            open_now.pop()
        if open_now:
            parent = open_now[-1]
            span.end = min(span.end, parent.end)
            span.parent = parent
        open_now.append(span)
    return ordered


def host_spans(
    records: Records, kinds: Sequence[str], calls: bool
) -> dict[int, list[Span]]:
    """Return all spans of each thread, nested, in the order of their begin.

    Args:
        records: what was recorded.
        kinds: kinds of scopes that are wanted.
        calls: with the driver's calls and the waits.
    """
    by_thread: dict[int, list[Span]] = defaultdict(list)

    def add(kind: Kind, record: Record, begin: int, end: int) -> None:
        span = Span(kind, record, begin, max(end or records.end, begin))
        by_thread[record["thread"]].append(span)  # an end of 0: still open

    for scope in sorted(records.scopes, key=lambda scope: scope["id"]):
        if scope["kind"] in kinds:
            add("scope", scope, scope["begin"], scope["end"])
    if calls:
        for work in records.works:
            add("call", work, work["host_begin"], work["host_end"])
        for wait in records.waits:
            add("wait", wait, wait["begin"], wait["end"])
    return {thread: nest(by_thread[thread]) for thread in sorted(by_thread)}


def device_spans(records: Records) -> dict[int, list[Span]]:
    """Return the work that ran on each stream, one after the other."""
    rows: dict[int, list[Span]] = defaultdict(list)
    order = sorted(records.works, key=lambda work: (work["device_begin"], work["id"]))
    for work in filter(takes_device_time, order):
        row = rows[work["stream"]]
        # Times of a GPU's events are not exact: work of a stream may seem to overlap.
        begin = max(work["device_begin"], row[-1].end if row else 0)
        row.append(Span("call", work, begin, max(work["device_end"], begin)))
    return {stream: rows[stream] for stream in sorted(rows)}


def innermost(spans: Sequence[Span], time: int) -> Span | None:
    """Return the innermost of one thread's nested spans that contains `time`, or None.

    Args:
        spans: as `nest` gives them.
        time: nanoseconds.
    """
    begun = bisect_right(spans, time, key=lambda span: span.begin)
    around = spans[begun - 1].outwards() if begun else ()
    return next((span for span in around if span.end >= time), None)
