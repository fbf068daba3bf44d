"""Write a profile as a Chrome trace, in Kineto's format.

Times are microseconds since the trace's base, with three decimals. The host's events
lie on rows (pid of the process, tid of the thread), the device's on (0, stream). What
is on one row nests or is disjoint, as Perfetto and chrome://tracing need it.
"""

from __future__ import annotations

import gzip
import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any

from .event_building import EventOptions, History
from .records import (
    DeviceFacts,
    Record,
    Records,
    device_name,
    takes_device_time,
)
from .spans import Span, device_spans, host_spans

Event = dict[str, Any]
_DEVICE = 0  # its pid
_CATEGORIES = {
    "kernel": "kernel",
    "graph": "kernel",
    "copy": "gpu_memcpy",
    "fill": "gpu_memset",
}


def write_trace(path: str, records: Records, options: EventOptions) -> None:
    """Write the trace; compressed when the name ends with ".gz".

    Args:
        path: the file.
        records: what was recorded.
        options: what of it is wanted.
    """
    trace = _Trace(records, options)
    properties = [trace.device_properties()] if records.device is not None else []
    head = {
        "schemaVersion": 1,
        "deviceProperties": properties,
        "displayTimeUnit": "ms",
        "baseTimeNanoseconds": records.begin + records.wall,
        "droppedRecords": records.dropped,
    }
    opened: Callable[..., IO[str]] = gzip.open if path.endswith(".gz") else open
    with opened(path, "wt", encoding="utf-8") as file:
        file.write("{\n")
        for name, value in head.items():
            file.write(f"{json.dumps(name)}: {json.dumps(value)},\n")
        file.write('"traceEvents": [')
        gap = "\n"
        for event in trace.events():
            file.write(gap + json.dumps(event))
            gap = ",\n"
        file.write(f'\n],\n"traceName": {json.dumps(path)}\n}}\n')


class _Trace:
    def __init__(self, records: Records, options: EventOptions) -> None:
        self._records = records
        self._options = options
        self._history = History(records)
        self._process = os.getpid()
        self._begin: dict[int, int] = {}  # of each work, as it is shown

    def events(self) -> Iterator[Event]:
        """Yield all events: names of rows, the host's, the device's, arrows."""
        threads = host_spans(self._records, self._options.kinds(), self._options.device)
        device = device_spans(self._records) if self._options.device else {}
        for rows in device.values():
            self._begin.update((row.record["id"], row.begin) for row in rows)
        yield from self._names(threads, device)
        for thread, spans in threads.items():
            for span in spans:
                yield self._host(span, thread)
                yield from self._arrow_from(span, thread)
        for stream, rows in device.items():
            for row in rows:
                yield self._on_device(row, stream)
        yield from self._way_back(threads)

    def device_properties(self) -> Event:
        """Return the card's properties in the format of Kineto's traces."""
        facts = self._records.device
        assert facts is not None
        return {
            "id": 0,
            "name": facts.name,
            "numSms": facts.multiprocessors,
            "maxThreadsPerMultiprocessor": facts.threads,
        }

    def _time(self, nanoseconds: int) -> float:
        return (nanoseconds - self._records.begin) / 1e3

    def _slice(
        self, name: str, category: str, row: tuple[int, int], span: Span
    ) -> Event:
        process, thread = row
        event = {"ph": "X", "cat": category, "name": name, "pid": process}
        duration = (span.end - span.begin) / 1e3
        return {**event, "tid": thread, "ts": self._time(span.begin), "dur": duration}

    def _names(
        self, threads: Mapping[int, Any], streams: Mapping[int, Any]
    ) -> Iterator[Event]:
        """Yield names of processes and rows, and their order."""
        process = self._process
        yield _meta("process_name", process, 0, name="python")
        yield _meta("process_labels", process, 0, labels="CPU")
        yield _meta("process_sort_index", process, 0, sort_index=process)
        for index, thread in enumerate(threads):
            name = self._records.thread_name(thread)
            yield _meta("thread_name", process, thread, name=name)
            yield _meta("thread_sort_index", process, thread, sort_index=index)
        if not streams:
            return
        facts = self._records.device
        label = facts.name if facts is not None else "cuda"
        yield _meta("process_name", _DEVICE, 0, name="device cuda")
        yield _meta("process_labels", _DEVICE, 0, labels=label)
        yield _meta("process_sort_index", _DEVICE, 0, sort_index=process + 1)
        for stream in streams:
            yield _meta("thread_name", _DEVICE, stream, name=f"stream {stream}")
            yield _meta("thread_sort_index", _DEVICE, stream, sort_index=stream)

    def _host(self, span: Span, thread: int) -> Event:
        row, record = (self._process, thread), span.record
        if span.kind == "call":
            category, arguments = "cuda_driver", {"correlation": record["id"]}
        elif span.kind == "wait":
            site = self._history.site_of_wait(record)
            category, arguments = (
                "cuda_sync",
                {"reason": record["reason"], "line": site},
            )
        else:
            is_op = record["kind"] in ("op", "backward", "compile")
            category = "cpu_op" if is_op else "user_annotation"
            arguments = self._op_arguments(record)
        return self._slice(span.name, category, row, span) | {"args": arguments}

    def _op_arguments(self, scope: Record) -> Event:
        arguments: Event = {}
        if scope["sequence"] >= 0:
            arguments["Sequence number"] = scope["sequence"]
        if self._options.shapes and scope["kind"] == "op":
            arguments["Input Dims"] = [list(shape) for shape in scope["shapes"]]
            arguments["Input type"] = list(scope["dtypes"])
        if self._options.modules:
            arguments["Module Hierarchy"] = self._history.module(scope)
        if scope["file"]:
            arguments["C++"] = f"{scope['file']}:{scope['line']}"
        line = self._history.site(scope)
        return {**arguments, "Python": line} if line else arguments

    def _on_device(self, row: Span, stream: int) -> Event:
        record, category = row.record, _CATEGORIES[row.record["kind"]]
        event = self._slice(device_name(record), category, (_DEVICE, stream), row)
        event["args"] = {
            "device": 0,
            "stream": stream,
            "correlation": record["id"],
            **self._work_arguments(record),
            **self._records.counters.get(record["launch"], {}),
        }
        return event

    def _work_arguments(self, work: Record) -> Event:
        if work["kind"] == "kernel":
            return kernel_arguments(work, self._records.device)
        if work["kind"] == "graph":
            return {}
        # Bytes in nanoseconds are gigabytes in seconds.
        elapsed = max(work["device_end"] - work["device_begin"], 1)
        rate = round(work["bytes"] / elapsed, 6)
        return {"bytes": work["bytes"], "memory bandwidth (GB/s)": rate}

    def _arrow_from(self, span: Span, thread: int) -> Iterator[Event]:
        """Yield the arrow from a driver call to the work that it launched."""
        work = span.record
        if span.kind != "call" or not takes_device_time(work):
            return
        start, end = (self._process, thread), (_DEVICE, work["stream"])
        times = (span.begin, self._begin[work["id"]])
        yield from self._arrow("ac2g", work["id"], (start, end), times)

    def _arrow(
        self,
        name: str,
        number: int,
        rows: tuple[tuple[int, int], tuple[int, int]],
        times: tuple[int, int],
    ) -> Iterator[Event]:
        for kind, (process, thread), time in zip("sf", rows, times, strict=True):
            event = {"ph": kind, "id": number, "pid": process, "tid": thread}
            event |= {"ts": self._time(time), "cat": name, "name": name}
            yield {**event, "bp": "e"} if kind == "f" else event

    def _way_back(self, threads: Mapping[int, list[Span]]) -> Iterator[Event]:
        """Yield the arrows from ops to their backward nodes."""
        forward: dict[int, tuple[int, Span]] = {}
        back: dict[int, list[tuple[int, Span]]] = defaultdict(list)
        for thread, spans in threads.items():
            for span in spans:
                number = span.record["sequence"] if span.kind == "scope" else -1
                if number >= 0 and span.record["kind"] == "op":
                    forward.setdefault(number, (thread, span))
                elif number >= 0 and span.record["kind"] == "backward":
                    back[number].append((thread, span))
        arrows = 0
        for number in sorted(back.keys() & forward.keys()):
            thread, first = forward[number]
            for other, span in back[number]:
                arrows += 1
                rows = ((self._process, thread), (self._process, other))
                times = (first.begin, span.begin)
                yield from self._arrow("fwdbwd", arrows, rows, times)


def _meta(kind: str, process: int, thread: int, **arguments: Any) -> Event:
    event = {"ph": "M", "name": kind, "pid": process, "tid": thread, "ts": 0}
    return {**event, "args": arguments}


def kernel_arguments(work: Record, device: DeviceFacts | None) -> Event:
    """Return the arguments of a kernel launch as in Kineto's traces.

    "blocks per SM" and "warps per SM" are those of the whole grid, spread evenly; the
    occupancy takes as many of these as fit at once.
    """
    blocks = work["grid"][0] * work["grid"][1] * work["grid"][2]
    threads = work["block"][0] * work["block"][1] * work["block"][2]
    arguments: Event = {
        "grid": list(work["grid"]),
        "block": list(work["block"]),
        "registers per thread": work["registers"],
        "shared memory": work["static_shared"] + work["dynamic_shared"],
    }
    if device is None:
        return arguments
    per_sm = blocks / device.multiprocessors
    arguments["blocks per SM"] = round(per_sm, 6)
    arguments["warps per SM"] = round(per_sm * -(-threads // 32), 6)
    fits = work.get("blocks_per_sm", 0)
    if fits:
        held = min(per_sm, fits) * threads / device.threads
        arguments["est. achieved occupancy %"] = round(100 * held)
    return arguments
