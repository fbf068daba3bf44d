"""What can be counted line by line: names, words, and the numbers of a launch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...cuda.inspecting.counters import CounterValues, LineCounters
from ..scene.drawing import number
from .launches import require_launch

SECTOR = 32  # bytes

_Count = Callable[[CounterValues], float]


@dataclass(frozen=True)
class Metric:
    """Something that is counted, and the words for it.

    Attributes:
        name: As it is asked for.
        noun: What is counted, in the plural.
        does: What a line does with it: "moves {share} of the bytes".
        explains: One sentence about it.
        nsight: The same in Nsight Compute; "" where it has none.
        above: Its value of some counters.
        below: What it is divided by; None for a plain count.
        worst: Of a ratio, whether the largest or the smallest one matters.
    """

    name: str
    noun: str
    does: str
    explains: str
    nsight: str
    above: _Count
    below: _Count | None = None
    worst: Callable[..., Any] = max

    def of(self, counters: CounterValues) -> float:
        """The metric of some counters; 0 for a ratio of nothing."""
        above = self.above(counters)
        if self.below is None:
            return above
        below = self.below(counters)
        return above / below if below else 0.0

    def words(self, value: float) -> str:
        """A value as views write it."""
        return number(round(value, 1) if self.below else int(value))


def _sum(*names: str) -> _Count:
    return lambda counters: sum(counters[name] for name in names)


_GLOBAL = ("global_load_{}", "global_store_{}", "atomic_global_{}")
_SECTORS = tuple(each.format("sectors") for each in _GLOBAL)
_REQUESTS = tuple(each.format("requests") for each in _GLOBAL)
_SHARED = (
    "shared_load_wavefronts",
    "shared_store_wavefronts",
    "atomic_shared_wavefronts",
)
_READY = (
    Metric(
        "instructions", "instructions", "runs {share} of the instructions",
        "One for each PTX instruction that a warp runs, however many of its threads "
        "take part.", "", _sum("ptx_warp_instructions"),
    ),
    Metric(
        "lanes", "threads an instruction", "runs with {value} of 32 threads on average",
        "Threads that take part in an instruction of a warp, on average; 32 is all.",
        "smsp__thread_inst_executed_per_inst_executed (of machine code)",
        _sum("active_lanes"), _sum("ptx_warp_instructions"), min,
    ),
    Metric(
        "sectors", "sectors", "asks for {share} of the sectors",
        "Sectors of 32 bytes that loads, stores and atomics ask of global memory, "
        "before caches.", "l1tex__t_sectors_pipe_lsu_mem_global_op_*", _sum(*_SECTORS),
    ),
    Metric(
        "sectors_per_request", "sectors a request",
        "asks for {value} sectors a request",
        "Sectors of 32 bytes that one warp instruction asks of global memory. 32 "
        "neighbouring words of 4 bytes need 4.", "", _sum(*_SECTORS), _sum(*_REQUESTS),
    ),
    Metric(
        "bytes", "bytes", "moves {share} of the bytes",
        "32 for each sector of global and local memory, before caches.", "",
        lambda counters: counters.bytes,
    ),
    Metric(
        "passes", "passes", "makes {share} of the passes through shared memory",
        "One trip through the banks of shared memory; Nsight Compute says wavefront.",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_*", _sum(*_SHARED),
    ),
    Metric(
        "conflicts", "bank conflicts", "makes {share} of the bank conflicts",
        "Passes through the banks of shared memory beyond the first one.",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
        _sum("shared_bank_conflicts"),
    ),
    Metric(
        "flops", "operations", "does {share} of the arithmetic",
        "Floating-point operations of threads; a multiply-add is two.", "",
        lambda counters: sum(counters.flops.values()),
    ),
    Metric(
        "divergent", "divergent branches", "splits warps in {share} of all cases",
        "Branches whose threads went different ways.", "", _sum("divergent_branches"),
    ),
    Metric(
        "barriers", "barriers", "waits in {share} of all cases",
        "Arrivals of warps at a barrier.", "", _sum("barriers"),
    ),
)  # fmt: skip
METRICS = {metric.name: metric for metric in _READY}


@dataclass(frozen=True)
class CountedLines:
    """A launch's counters, line by line of the file that most of its work is in.

    Attributes:
        kernel: Its name.
        file: Whose lines these are.
        total: Of the whole launch.
        lines: For each line's number its counters, one for each chain of callers;
            with what it calls in other files.
        elsewhere: Counters of other files, and of code without a line.
        debug: Whether a build for debuggers ran, which is not optimised.
    """

    kernel: str
    file: str
    total: CounterValues
    lines: dict[int, tuple[CounterValues, ...]]
    elsewhere: tuple[CounterValues, ...]
    debug: bool = False

    def value(self, metric: Metric, line: int) -> float:
        """The metric of one line."""
        return _together(metric, self.lines[line])

    @cached_property
    def ranked(self) -> list[int]:
        """Numbers of the lines: those that answers name first, then by their work."""
        named = {worst_line(self, metric) for metric in METRICS.values()}
        work = {line: self.value(METRICS["instructions"], line) for line in self.lines}
        return sorted(self.lines, key=lambda line: (line not in named, -work[line]))

    def rest(self, metric: Metric) -> float:
        """The metric of all that has no line in this file."""
        return _together(metric, self.elsewhere)

    @property
    def local_bytes(self) -> int:
        """Bytes that local memory moved, where variables of debug builds are."""
        sectors = self.total["local_load_sectors"] + self.total["local_store_sectors"]
        return SECTOR * int(sectors)

    def share(self, metric: Metric, value: float) -> float:
        """Which part of the whole a plain count is; 0 of nothing."""
        total = metric.of(self.total)
        return value / total if total else 0.0


def _together(metric: Metric, parts: tuple[CounterValues, ...]) -> float:
    above = sum(metric.above(each) for each in parts)
    if metric.below is None:
        return above
    below = sum(metric.below(each) for each in parts)
    return above / below if below else 0.0


def worst_line(data: CountedLines, metric: Metric) -> int | None:
    """The line that matters most; None where no line has any."""
    have = [line for line in data.lines if data.value(metric, line)]
    if not have:
        return None
    best: int = metric.worst(have, key=lambda line: data.value(metric, line))
    return best


def _places(row: LineCounters) -> list[tuple[str, int]]:
    """Where the code is, and the calls that it was inlined into, innermost first."""
    return [(row.file, row.line), *row.callers]


def _main_file(rows: list[LineCounters], own: str) -> str:
    """The kernel's own file; else the one with the calls that most work came from.

    Builds for debuggers inline nothing, and their headers may do more work than the
    kernel that calls them.
    """
    work: dict[str, float] = {}
    for row in rows:
        file, line = _places(row)[-1]
        if line:
            work[file] = work.get(file, 0) + row["ptx_warp_instructions"]
    if own in work:
        return own
    return max(work, key=lambda each: work[each]) if work else ""


def counted_lines(launch: Any, view: str) -> CountedLines:
    """The counters of a launch by line.

    Raises:
        TypeError: Not a launch.
        ValueError: Nothing was counted.
    """
    known = require_launch(launch, view)
    try:
        counters = known.counters
    except ValueError as error:
        raise ValueError(
            f"[viz.{view}] got a launch that was not counted; need one. Run it within "
            "`with cuda.inspect() as run:`, without counters=False."
        ) from error
    rows = counters.by_line()
    file = _main_file(rows, known.source_file)
    lines: dict[int, tuple[CounterValues, ...]] = {}
    elsewhere: tuple[CounterValues, ...] = ()
    for row in rows:
        # What a header did counts where this file calls it.
        own = [line for name, line in _places(row) if line and name == file]
        if own:
            lines[own[0]] = (*lines.get(own[0], ()), row.counters)
        else:
            elsewhere = (*elsewhere, row.counters)
    return CountedLines(known.kernel, file, counters, dict(sorted(lines.items())),
                        elsewhere, known.debug)  # fmt: skip
