"""Events of a profile and lists of them, with PyTorch's names.

Times come in nanoseconds and are added as such; the attributes are microseconds, as
PyTorch's are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

from .table import build_table, format_time


class DeviceType(Enum):
    """Device on which an event took place."""

    CPU = 0
    CUDA = 1


class Kernel(NamedTuple):
    """Work on the device launched directly by an event; `duration` in microseconds."""

    name: str
    device: int
    duration: float


class Interval(NamedTuple):
    """Begin and end of an event, in microseconds since recording began."""

    start: float
    end: float


_NO_TIME = Interval(0, 0)
_SUMMED = (
    *("count", "flops", "cpu_ns", "self_cpu_ns", "device_ns", "self_device_ns"),
    *("cpu_memory_usage", "self_cpu_memory_usage"),
    *("device_memory_usage", "self_device_memory_usage"),
)


@dataclass(slots=True, eq=False, repr=False)
class Times:
    """Numbers of one event, or the sums of several.

    Attributes:
        key: what a row of a table is called.
        count: how many events.
        device_type: `DeviceType.CPU`, or `CUDA` for kernels, copies and fills.
        input_shapes: of the tensors that went in.
        stack: Python's lines, "file.py(12): function", innermost first.
        flops: 2 for each multiply-add of a product or convolution, 1 for each element
            of a sum or product by element; 0 for all else.
        counters: with `counters=True`, of what was launched inside: "sectors_loaded",
            "sectors_stored", "macs"; "waits" of the host.
        cpu_memory_usage, device_memory_usage: bytes made less those given back inside;
            `self_`: those of no event inside it.
    """

    key: str
    device_type: DeviceType = DeviceType.CPU
    count: int = 0
    input_shapes: list[Any] = field(default_factory=list)
    stack: tuple[str, ...] = ()
    flops: int = 0
    counters: Counter[str] = field(default_factory=Counter)
    is_user_annotation: bool = False
    cpu_ns: int = 0
    self_cpu_ns: int = 0
    device_ns: int = 0
    self_device_ns: int = 0
    cpu_memory_usage: int = 0
    self_cpu_memory_usage: int = 0
    device_memory_usage: int = 0
    self_device_memory_usage: int = 0

    @property
    def cpu_time_total(self) -> float:
        """Microseconds on the host, including inner events."""
        return self.cpu_ns / 1e3

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds on the host, excluding inner events."""
        return self.self_cpu_ns / 1e3

    @property
    def device_time_total(self) -> float:
        """Microseconds on the device of all work launched inside."""
        return self.device_ns / 1e3

    @property
    def self_device_time_total(self) -> float:
        """Microseconds on the device of work launched directly, not by inner events."""
        return self.self_device_ns / 1e3

    @property
    def cpu_time(self) -> float:
        """Average `cpu_time_total` of one event."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def device_time(self) -> float:
        """Average `device_time_total` of one event."""
        return self.device_time_total / self.count if self.count else 0.0

    # PyTorch's earlier names of the same numbers.
    cuda_time_total = device_time_total
    self_cuda_time_total = self_device_time_total
    cuda_time = device_time

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} {self.key}: {self.count} x, "
            f"self CPU {format_time(self.self_cpu_time_total)}, "
            f"self CUDA {format_time(self.self_device_time_total)}>"
        )


@dataclass(slots=True, eq=False, repr=False)
class FunctionEvent(Times):
    """One event: an op, a driver's call, a kernel.

    Attributes:
        id: its number in this profile; of what runs on the device, its launch's.
        name: as in a trace: "ProfilerStep#3" where `key` is "ProfilerStep*".
        thread: of the host, or -1.
        time_range: when, `start` and `end` in microseconds since recording began.
        cpu_parent, cpu_children: events of the host around and inside it.
        kernels: what it launched itself, as (name, device, duration).
        sequence_nr: of an op with a gradient and of its way back; else -1.
    """

    id: int = -1
    name: str = ""
    thread: int = -1
    time_range: Interval = _NO_TIME
    cpu_parent: FunctionEvent | None = None
    cpu_children: list[FunctionEvent] = field(default_factory=list)
    kernels: list[Kernel] = field(default_factory=list)
    sequence_nr: int = -1


class FunctionEventAvg(Times):
    """All events with one key: sums, and the averages `cpu_time` and `device_time`."""

    __slots__ = ()

    def add(self, event: Times) -> FunctionEventAvg:
        """Add the numbers of another event; return self."""
        if self.count == 0:
            self.input_shapes = event.input_shapes
            self.stack = event.stack
            self.is_user_annotation = event.is_user_annotation
        for name in _SUMMED:
            setattr(self, name, getattr(self, name) + getattr(event, name))
        self.counters.update(event.counters)
        return self


class EventList(list[Any]):
    """Events, or their averages, which print as a table.

    Attributes:
        notes: lines below a table: what its numbers are, and why some are not there.
    """

    def __init__(
        self,
        events: Iterable[Times] = (),
        notes: Iterable[str] = (),
    ) -> None:
        super().__init__(events)
        self.notes = tuple(notes)

    def key_averages(
        self, group_by_input_shapes: bool = False, group_by_stack_n: int = 0
    ) -> EventList:
        """Merge events with the same key into one row, in the order of their first.

        Args:
            group_by_input_shapes: events of other shapes are other rows.
            group_by_stack_n: events whose innermost n lines differ are other rows;
                0: lines do not matter, and the table has none.

        Returns:
            A list of `FunctionEventAvg`.
        """
        lines: Any = group_by_stack_n
        if isinstance(lines, bool) or not isinstance(lines, int) or lines < 0:
            raise ValueError(
                f"[key_averages] got group_by_stack_n {lines!r}; need a number of "
                "lines, at least 0."
            )
        rows: dict[tuple[Any, ...], FunctionEventAvg] = {}
        for event in self:
            shapes = str(event.input_shapes) if group_by_input_shapes else ""
            kind = (event.key, event.device_type, event.is_user_annotation)
            key = (*kind, shapes, event.stack[:lines])
            row = rows.get(key)
            if row is None:
                row = rows[key] = FunctionEventAvg(event.key, event.device_type)
            row.add(event)
        for row in rows.values():
            row.stack = row.stack[:lines]
            if not group_by_input_shapes:
                row.input_shapes = []
        return EventList(rows.values(), self.notes)

    def table(self, sort_by: str | None = None, row_limit: int = 100) -> str:
        """Return the events as text, a row each.

        Args:
            sort_by: largest first: `cpu_time`, `cuda_time`, `cpu_time_total`,
                `cuda_time_total`, `self_cpu_time_total`, `self_cuda_time_total`,
                `cpu_memory_usage`, `cuda_memory_usage`, `self_cpu_memory_usage`,
                `self_cuda_memory_usage`, `count`, `flops`; also with `device` for
                `cuda`. None: in the order of the first event.
            row_limit: rows that are shown; -1: all.

        Returns:
            Text that ends with a newline. Under the rows stand the sums, and what has
            to be known of them.

        Raises:
            ValueError: a key that does not exist; the message lists them. A number of
                rows that is none.
        """
        return build_table(self, sort_by, row_limit, self.notes)

    def __str__(self) -> str:
        return self.table()
