"""The numbers of the warps view: which warp one SM issues in each turn, and who waits.

The instructions are those that the launch ran. Their order is a model: an SM issues one
each turn, goes on with a warp until that waits, then takes the first that is ready.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....cuda import Launch
from ...scene.scene import Numbers
from ...traces.launches import GLOBAL, WRITE, Bools, require_trace
from ...traces.steps import at_barriers

MOST_TURNS = 240
LATENCIES = (4, 8, 16, 32, 64)
READY, RUNS, MEMORY, BARRIER, DONE = range(5)
_NEVER = 1 << 30


@dataclass(frozen=True)
class Stream:
    """What one warp ran, to `MOST_TURNS` instructions.

    Attributes:
        block, warp: Whose.
        line: Of each instruction; 0 where it is not known, or in another file.
        load: The last load whose result an instruction uses; -1 for none.
        barrier: Whether it is a barrier.
    """

    block: int
    warp: int
    line: Numbers
    load: Numbers
    barrier: Bools


@dataclass(frozen=True)
class Order:
    """What happens in each turn.

    Attributes:
        issued: The warp whose instruction is issued; -1: no warp is ready.
        doing: (turns, warps) `READY`, `RUNS`, `MEMORY`, `BARRIER` or `DONE`.
        line: (turns, warps) of the instruction that each warp runs, or waits to run.
    """

    issued: Numbers
    doing: Numbers
    line: Numbers

    @property
    def turns(self) -> int:
        """How many there are."""
        return len(self.issued)

    @property
    def length(self) -> str:
        """How many, in words: the last ones may be cut off."""
        return f"{'first ' * (self.turns == MOST_TURNS)}{self.turns}"

    @property
    def idle(self) -> int:
        """Turns in which no warp is ready."""
        return int((self.issued < 0).sum())

    @property
    def code(self) -> Numbers:
        """The line of the instruction that is issued in each turn."""
        return np.asarray(self.line[np.arange(self.turns), self.issued])


@dataclass(frozen=True)
class Warps:
    """The warps of one SM.

    Attributes:
        launch: Whose.
        file: Of the lines.
        streams: Of the warps that fit, block after block.
        held: How many of them the SM holds: for each choice the number and its name;
            the first is one warp.
        orders: For each number of warps, for each of `LATENCIES`.
    """

    launch: Launch
    file: str
    streams: tuple[Stream, ...]
    held: tuple[tuple[int, str], ...]
    orders: tuple[tuple[Order, ...], ...]


def _uses(launch: Launch, rows: Numbers, brings: Numbers) -> Numbers:
    """For each instruction of a warp the last load whose result it uses, or -1.

    Without PTX, as of the library's kernels, that is the load before it.
    """
    trace, ptx = launch.trace, launch.ptx.splitlines()
    found, loads = np.full(len(rows), -1), dict[str, int]()
    for at, row in enumerate(rows.tolist()):
        line = trace.ptx_lines[trace.columns["instruction"][row]]
        words = ptx[line - 1] if ptx else "%any"
        names = re.findall(r"%[\w.]+", words)
        found[at] = max((loads.pop(name, -1) for name in names), default=-1)
        if brings[row]:
            result = words.partition(str(trace.opcode[row]))[2].partition("[")[0]
            names = re.findall(r"%[\w.]+", result) if ptx else names
            loads |= dict.fromkeys(names, at)
    return found


def _streams(launch: Launch, file: str) -> Iterable[Stream]:
    """The warps of the first blocks in the trace, as many as one SM holds."""
    trace = launch.trace
    brings = np.zeros(len(trace), bool)
    columns = trace.columns
    fetches = (columns["access_space"] == GLOBAL) & (columns["access_kind"] != WRITE)
    brings[columns["access_step"][fetches]] = True
    for block in np.unique(trace.block)[: max(launch.blocks_per_sm, 1)].tolist():
        mine = np.nonzero(trace.block == block)[0]
        warp = trace.warp[mine]
        for own in np.unique(warp).tolist():
            rows = mine[warp == own][:MOST_TURNS]
            line = np.where(trace.file[rows] == file, trace.line[rows], 0)
            yield Stream(
                block, own, line, _uses(launch, rows, brings),
                at_barriers(trace.opcode[rows]),
            )  # fmt: skip


class _Sm:
    """One SM that issues the instructions of the warps that it holds."""

    def __init__(self, streams: Sequence[Stream], latency: int) -> None:
        self.streams, self.latency, self.turn = streams, latency, 0
        self.block = np.array([each.block for each in streams])
        self.place = [0] * len(streams)
        self.ready = np.zeros(len(streams), int)  # from which turn on
        self.times: list[list[int]] = [[] for _ in streams]
        self.issued = np.full(MOST_TURNS, -1)
        self.doing = np.full((MOST_TURNS, len(streams)), READY)
        self.line = np.tile([each.line[0] for each in streams], (MOST_TURNS, 1))

    def order(self) -> Order:
        now = 0
        while self.turn < MOST_TURNS and (self.ready < _NEVER).any():
            if self.ready[now] > self.turn:
                now = int(np.argmax(self.ready <= self.turn))
            if self.ready[now] <= self.turn:
                self._issue(now)
            self.turn += 1
        own = slice(self.turn)
        return Order(self.issued[own], self.doing[own], self.line[own])

    def _issue(self, warp: int) -> None:
        stream, place, after = self.streams[warp], self.place[warp], self.turn + 1
        self.issued[self.turn], self.doing[self.turn, warp] = warp, RUNS
        self.times[warp].append(self.turn)
        self.place[warp] += 1
        if stream.barrier[place]:
            self.ready[warp], self.doing[after:, warp] = _NEVER, BARRIER
        else:
            self._go_on(warp, after)
        mates = np.nonzero(self.block == stream.block)[0]
        if (self.ready[mates] == _NEVER).all():
            for each in mates.tolist():
                self._go_on(each, after)

    def _go_on(self, warp: int, turn: int) -> None:
        """Let a warp run its next instruction from a turn on, when it has its load."""
        stream, place = self.streams[warp], self.place[warp]
        if place == len(stream.line):
            self.ready[warp], self.doing[turn:, warp] = _NEVER, DONE
            return
        self.line[turn:, warp] = stream.line[place]
        load = int(stream.load[place])
        has = self.times[warp][load] + self.latency if load >= 0 else turn
        self.ready[warp], self.doing[turn:, warp] = max(turn, has), READY
        self.doing[turn:has, warp] = MEMORY


def warps_data(launch: Any, latency: Any) -> Warps:
    """Put the instructions of a launch into the order in which one SM issues them.

    Raises:
        TypeError: Not a launch.
        ValueError: No trace, or a latency that is none of `LATENCIES`.
    """
    trace = require_trace(launch, "warps")
    if not hasattr(latency, "__index__") or latency.__index__() not in LATENCIES:
        raise ValueError(
            f"[viz.warps] got latency {latency!r}; need one of {LATENCIES} turns."
        )
    files = trace.file
    file = launch.source_file if launch.source_file in files else str(files[0])
    streams = tuple(_streams(launch, file))
    blocks = len({each.block for each in streams})
    first = sum(each.block == streams[0].block for each in streams)
    held = {len(streams): f"{blocks} blocks", first: "one block", 1: "one warp"}
    orders = tuple(
        tuple(_Sm(streams[:count], each).order() for each in LATENCIES)
        for count in sorted(held)
    )
    return Warps(launch, file, streams, tuple(sorted(held.items())), orders)
