"""A profile as plain data for pictures.

The schema is "minitorch.timeline/1"; all times are nanoseconds of one clock.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from .event_building import History
from .records import Records, call_name, device_name, takes_device_time
from .spans import Span, device_spans, host_spans

SCHEMA = "minitorch.timeline/1"
_KINDS = ("op", "backward", "module", "user", "step", "compile")


def timeline_of(records: Records) -> dict[str, Any]:
    """Host threads, the device's streams, and how far launching was ahead.

    Returns:
        `begin`, `end`, `emulated`;
        `threads`: `id name`, `scopes` with `name kind begin end depth site`, `calls` of
        the driver with `name begin end work`, `waits` with `reason begin end site`;
        `streams`: `id`, `works` with `id name kind begin end bytes`;
        `depth`: `stream time depth`, how much was queued at each launch and after each
        end of work.
    """
    history = History(records)
    spans = host_spans(records, _KINDS, calls=True)
    return {
        "schema": SCHEMA,
        "begin": records.begin,
        "end": records.end,
        "threads": [
            _thread(thread, records.thread_name(thread), spans[thread], history)
            for thread in spans
        ],
        "streams": [
            {"id": stream, "works": [_work(span) for span in works]}
            for stream, works in device_spans(records).items()
        ],
        "depth": _depths(records),
        "emulated": records.emulated,
    }


def _thread(
    thread: int, name: str, spans: list[Span], history: History
) -> dict[str, Any]:
    parts: dict[str, list[dict[str, Any]]] = {"scopes": [], "calls": [], "waits": []}
    for span in spans:
        times = {"begin": span.begin, "end": span.end}
        record = span.record
        if span.kind == "scope":
            depth = sum(around.kind == "scope" for around in span.outwards()) - 1
            scope = {"name": record["name"], "kind": record["kind"], **times}
            scope |= {"depth": depth, "site": history.site(record)}
            parts["scopes"].append(scope)
        elif span.kind == "call":
            call = {"name": call_name(record), **times, "work": record["id"]}
            parts["calls"].append(call)
        else:
            wait = {"reason": record["reason"], **times}
            parts["waits"].append(wait | {"site": history.site_of_wait(record)})
    return {"id": thread, "name": name, **parts}


def _work(span: Span) -> dict[str, Any]:
    work = span.record
    entry = {"id": work["id"], "name": device_name(work), "kind": work["kind"]}
    return entry | {"begin": span.begin, "end": span.end, "bytes": work["bytes"]}


def _depths(records: Records) -> list[dict[str, int]]:
    """Return each stream's queue depth over time: +1 at a launch, -1 at its end."""
    changes: list[tuple[int, int, int]] = []
    for work in records.works:
        if takes_device_time(work):
            changes.append((work["host_begin"], 1, work["stream"]))
            changes.append((work["device_end"], -1, work["stream"]))
    depth: dict[int, int] = defaultdict(int)
    steps = []
    for time, change, stream in sorted(changes):
        depth[stream] += change
        steps.append({"stream": stream, "time": time, "depth": depth[stream]})
    return steps
