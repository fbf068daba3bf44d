"""Build events from records: nesting, totals, memory.

Device time belongs to the innermost op, node or annotation around the launch, and once
to the kernel's own row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ..network.scopes import outwards
from .events import DeviceType, FunctionEvent, Interval, Kernel
from .records import (
    Record,
    Records,
    device_name,
    takes_device_time,
)
from .spans import Span, host_spans, innermost

ANNOTATIONS = ("user", "step")


@dataclass(frozen=True)
class EventOptions:
    """Which of the records are shown, and how.

    Attributes:
        host: ops, nodes, annotations, compiling (`ProfilerActivity.CPU`).
        device: driver's calls, waits, kernels (`ProfilerActivity.CUDA`).
        shapes, memory, stacks, modules: as the profile was asked for.
        flops: operations of an op's scope; None: not wanted.
    """

    host: bool = True
    device: bool = True
    shapes: bool = False
    memory: bool = False
    stacks: bool = False
    modules: bool = False
    flops: Callable[[Record], int] | None = None

    def kinds(self) -> tuple[str, ...]:
        """Return the kinds of scopes to show."""
        selected = ("op", "backward", "compile", *ANNOTATIONS) if self.host else ()
        return (*selected, "module") if self.host and self.modules else selected


class History:
    """Relations between records: a node's forward, a scope's module."""

    def __init__(self, records: Records) -> None:
        self._scopes = {scope["id"]: scope for scope in records.scopes}
        self._forward: dict[int, Record] = {}
        for scope in records.scopes:
            if scope["kind"] == "op" and scope["sequence"] >= 0:
                self._forward.setdefault(scope["sequence"], scope)
        self._modules: dict[int, str] = {}

    def _outwards(self, scope: Record | None) -> Iterator[Record]:
        return iter(()) if scope is None else outwards(self._scopes, scope["id"])

    def forward_of(self, scope: Record | None) -> Record | None:
        """Return the op whose backward encloses or is this scope, or None."""
        for around in self._outwards(scope):
            if around["kind"] == "backward":
                return self._forward.get(around["sequence"])
        return None

    def stack(self, scope: Record) -> tuple[str, ...]:
        """Return a scope's Python stack, innermost first; backward nodes have their
        forward's.
        """
        return tuple((self.forward_of(scope) or scope)["stack"])

    def site(self, scope: Record | None) -> str:
        """Return the user's line of a scope or the nearest around it: "train.py:12"."""
        lines = (
            around["site"] for around in self._outwards(self.forward_of(scope) or scope)
        )
        return next(filter(None, lines), "")

    def site_of_wait(self, wait: Record) -> str:
        """Return the user's line of a wait, or that of the scope around it."""
        return wait["site"] or self.site(self._scopes.get(wait["scope"]))

    def module(self, scope: Record) -> str:
        """Return the module path of a scope, "Net.layer1.0.conv1", or ""."""
        if scope["id"] not in self._modules:
            self._modules[scope["id"]] = self._module_path(scope)
        return self._modules[scope["id"]]

    def _module_path(self, scope: Record) -> str:
        forward = self.forward_of(scope)
        if forward is not None and forward is not scope:
            return self.module(forward)
        modules = [
            around for around in self._outwards(scope) if around["kind"] == "module"
        ]
        path = [modules[-1]["detail"], modules[0]["name"]] if modules else []
        return ".".join(filter(None, path))


def build_events(records: Records, options: EventOptions) -> list[FunctionEvent]:
    """Return all events: the host's by thread and begin, then the device's."""
    return _Building(records, options).events()


class _Building:
    def __init__(self, records: Records, options: EventOptions) -> None:
        self._records = records
        self._options = options
        self._history = History(records)
        self._event_of: dict[Span, FunctionEvent] = {}

    def events(self) -> list[FunctionEvent]:
        options, records = self._options, self._records
        threads = host_spans(records, options.kinds(), calls=True)
        hosts = []
        for thread, spans in threads.items():
            if not options.device:
                spans = [span for span in spans if span.kind == "scope"]
            hosts += [self._host(span, thread) for span in spans]
        for spans in threads.values():
            self._launched(spans)
        if options.memory:
            hosts += self._memory(threads)
        for event in reversed(hosts):
            _into_parent(event)
        works = records.works if options.device else []
        return [
            *hosts,
            *(self._device(work) for work in works if takes_device_time(work)),
        ]

    def _event(self, name: str, begin: int, end: int, **fields: Any) -> FunctionEvent:
        first = self._records.begin
        times = Interval((begin - first) / 1e3, (end - first) / 1e3)
        key = "ProfilerStep*" if name.startswith("ProfilerStep#") else name
        return FunctionEvent(key, name=name, count=1, time_range=times, **fields)

    def _host(self, span: Span, thread: int) -> FunctionEvent:
        place = {"id": len(self._event_of), "thread": thread}
        event = self._event(span.name, span.begin, span.end, **place)
        event.cpu_ns = event.self_cpu_ns = span.end - span.begin
        event.cpu_parent = self._event_around(span)
        if event.cpu_parent is not None:
            event.cpu_parent.cpu_children.append(event)
        self._event_of[span] = event
        if span.kind == "scope":
            self._describe(event, span.record)
        elif span.kind == "wait" and self._records.counters:
            event.counters["waits"] = 1
        return event

    def _event_around(self, span: Span | None) -> FunctionEvent | None:
        """Return the event of a span, or of the innermost around it that has one."""
        around = span.outwards() if span is not None else ()
        events = (self._event_of[one] for one in around if one in self._event_of)
        return next(events, None)

    def _describe(self, event: FunctionEvent, scope: Record) -> None:
        options = self._options
        event.sequence_nr = scope["sequence"]
        event.is_user_annotation = scope["kind"] in ANNOTATIONS
        if options.shapes:
            event.input_shapes = [list(shape) for shape in scope["shapes"]]
        if options.stacks:
            event.stack = self._history.stack(scope)
        if options.flops is not None and scope["kind"] == "op":
            event.flops = options.flops(scope)

    def _launched(self, spans: list[Span]) -> None:
        """Assign each launch of a thread to the innermost scope around it."""
        counters = self._records.counters
        for span in spans:
            around = span.scope()
            if span.kind != "call" or around is None or not self._options.device:
                continue
            owner, work = self._event_of[around], span.record
            owner.counters.update(counters.get(work["launch"], {}))
            if takes_device_time(work):
                nanoseconds = work["device_end"] - work["device_begin"]
                owner.kernels.append(Kernel(device_name(work), 0, nanoseconds / 1e3))
                owner.device_ns += nanoseconds
                owner.self_device_ns += nanoseconds

    def _memory(self, threads: dict[int, list[Span]]) -> list[FunctionEvent]:
        """Add memory to the events that allocated it; return events for the rest."""
        alone = []
        for record in self._records.memory:
            thread, time = record["thread"], record["time"]
            event = self._event_around(innermost(threads.get(thread, ()), time))
            if event is None:
                event = self._event("[memory]", time, time, thread=thread)
                alone.append(event)
            kind = "cpu" if record["device"] == "cpu" else "device"
            for name in (f"{kind}_memory_usage", f"self_{kind}_memory_usage"):
                setattr(event, name, getattr(event, name) + record["bytes"])
        return alone

    def _device(self, work: Record) -> FunctionEvent:
        begin, end = work["device_begin"], work["device_end"]
        kind = {"id": work["id"], "device_type": DeviceType.CUDA}
        event = self._event(device_name(work), begin, end, **kind)
        event.device_ns = event.self_device_ns = end - begin
        event.counters.update(self._records.counters.get(work["launch"], {}))
        return event


def _into_parent(event: FunctionEvent) -> None:
    """Add an event's totals to its parent's."""
    parent = event.cpu_parent
    if parent is None:
        return
    parent.self_cpu_ns -= event.cpu_ns
    parent.device_ns += event.device_ns
    parent.cpu_memory_usage += event.cpu_memory_usage
    parent.device_memory_usage += event.device_memory_usage
    parent.counters.update(event.counters)
