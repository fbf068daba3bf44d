"""The warps view: why an SM holds more warps than it can run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...cuda import Launch
from ...cuda.inspecting.accesses import GLOBAL, WRITE, Bools
from ..figure.figure import Figure
from ..figure.scenes import Interned, swatches
from ..scene.code_view import comment_of, lines_of, shown_lines, texts_of
from ..scene.palette import HUES
from ..scene.phrases import joined
from ..scene.scene import (
    Axis,
    Bars,
    Code,
    Index,
    Numbers,
    OneOf,
    Panel,
    Scene,
    Table,
    Track,
)
from ..traces.fault_view import of_trace
from ..traces.launches import require_trace, spelled
from ..traces.steps import at_barriers

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


class Order:
    """What happens in each turn on one SM that issues what its warps run.

    Attributes:
        turns: How many there are.
        issued: The warp whose instruction is issued; -1: no warp is ready.
        doing: (turns, warps) `READY`, `RUNS`, `MEMORY`, `BARRIER` or `DONE`.
        line: (turns, warps) of the instruction that each warp runs, or waits to run.
    """

    def __init__(self, streams: Sequence[Stream], latency: int) -> None:
        """Run the warps, with the turns that a load takes."""
        self.turns = now = 0
        self.streams, self.latency = streams, latency
        self.block = np.array([each.block for each in streams])
        self.place = [0] * len(streams)
        self.ready = np.zeros(len(streams), int)  # from which turn on
        self.times: list[list[int]] = [[] for _ in streams]
        self.issued = np.full(MOST_TURNS, -1)
        self.doing = np.full((MOST_TURNS, len(streams)), READY)
        self.line = np.tile([each.line[0] for each in streams], (MOST_TURNS, 1))
        while self.turns < MOST_TURNS and (self.ready < _NEVER).any():
            if self.ready[now] > self.turns:
                now = int(np.argmax(self.ready <= self.turns))
            if self.ready[now] <= self.turns:
                self._issue(now)
            self.turns += 1
        shown = slice(self.turns)
        self.issued, self.line = self.issued[shown], self.line[shown]
        self.doing = self.doing[shown]

    def _issue(self, warp: int) -> None:
        stream, place, after = self.streams[warp], self.place[warp], self.turns + 1
        self.issued[self.turns], self.doing[self.turns, warp] = warp, RUNS
        self.times[warp].append(self.turns)
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
        tuple(Order(streams[:count], each) for each in LATENCIES)
        for count in sorted(held)
    )
    return Warps(launch, file, streams, tuple(sorted(held.items())), orders)


_CHOICE = ("warps", "latency")
_IDLE = -1  # hue of turns without an instruction: grey
_OTHERS = {
    MEMORY: ("waits for memory", "wait for memory"),
    BARRIER: ("waits at a barrier", "wait at a barrier"),
    READY: ("is ready", "are ready"),
}


def _ends(busy: Numbers) -> Any:
    """First index and end of each stretch that is true."""
    edges = np.nonzero(np.diff(np.pad(busy, 1).astype(int)))[0]
    return edges.reshape(-1, 2).tolist()


class _Picture:
    """The marks of a launch, and their words."""

    def __init__(self, data: Warps) -> None:
        self.data, self.own = data, Interned()
        every = [order for row in data.orders for order in row]
        self.turns = max(order.turns for order in every)
        self.rows = 1 + max(int(order.issued.max()) for order in every)
        grid = data.launch.grid
        self.names = [(spelled(each.block, grid), each.warp) for each in data.streams]
        blocks = [each.block for each in data.streams]
        self.hues = np.unique(blocks, return_inverse=True)[1] % HUES
        self.tracks = tuple(self.track(order) for order in every)

    def choice(self, each: Callable[[int, int, Order], int]) -> Numbers:
        """A number for each choice, given the choices of warps and latency."""
        return np.array([[each(at, latency, order) for latency, order in enumerate(row)]
                         for at, row in enumerate(self.data.orders)])  # fmt: skip

    def turn(self, each: Callable[[Order], Any], *items: int) -> Table:
        """What is so in each turn of each choice; -1 where there is nothing."""
        rows = self.data.orders
        found = np.full((len(rows), len(rows[0]), self.turns, *items), -1)
        for at in np.ndindex(found.shape[:2]):
            values = each(rows[at[0]][at[1]])
            found[(*at, *map(slice, values.shape))] = values
        return Table((*_CHOICE, "turn"), found)

    def track(self, order: Order) -> Track:
        """The warps in time, and the turns in which none is ready."""
        bars = [[0, *each, 8] for each in _ends(order.issued < 0)]
        waits = []
        for row, doing in enumerate(order.doing.T[: self.rows], 1):
            for kind, high in ((RUNS, 8), (MEMORY, 1)):
                bars += [[row, *each, high] for each in _ends(doing == kind)]
            waits += [[row, *each] for each in _ends(doing == BARRIER)]
        names = [f"b{block.strip('()').replace(' ', '')} w{warp}"
                 for block, warp in self.names[: self.rows]]  # fmt: skip
        return Track(
            "turn", ("idle", *names), (_IDLE, *self.hues.tolist()), np.array(bars), 8,
            np.array(waits, int).reshape(-1, 3),
            note="high: runs · low: waits for memory · double line: at a barrier",
        )  # fmt: skip

    def code(self) -> tuple[Code, ...]:
        """The line that is issued, and how many warps wait for memory at others."""
        lines = lines_of(None, self.data.file, self.data.launch.source)
        ran = {line for each in self.data.streams for line in each.line.tolist()} - {0}
        if not ran or max(ran) > len(lines):
            return ()
        shown = shown_lines(lines, sorted(ran))
        texts = texts_of(lines, shown)
        place = np.full(max(*ran, *shown) + 1, -1)
        place[shown] = np.arange(len(shown))
        waits = self.own.texts([f"{each}‖" * (each > 0) for each in range(65)])
        signs = self.own.texts([*(f"w{warp}" for _, warp in self.names), "-"])

        def others(order: Order) -> Any:
            lines = np.where(order.doing == MEMORY, order.line, -1)
            return waits[(lines[..., None] == shown).sum(axis=1)]

        return (Code(
            "The line that is issued", "5‖: five warps wait there for memory",
            tuple(shown), tuple(texts), comment_of(texts),
            active=self.turn(
                lambda order: np.where(order.issued >= 0, place[order.code], -1)
            ),
            who=self.turn(lambda order: np.append(self.hues, 0)[order.issued]),
            sign=self.turn(lambda order: signs[order.issued]),
            others=self.turn(others, len(shown)),
        ),)  # fmt: skip

    def sums(self) -> Bars:
        """For each number of warps the turns in which none is ready."""

        def column(each: Callable[[int, int, Order], int]) -> Table:
            return Table(("latency",), self.choice(each).T)

        held, word = self.data.held, self.own.number
        return Bars(
            "Turns with nothing to issue", ("turns", "idle"),
            tuple(name for _, name in held),
            (column(lambda *choice: word(choice[2].length)),
             column(lambda *choice: word(str(choice[2].idle)))),
            column(lambda *choice: 1000 * choice[2].idle // choice[2].turns),
            active=Index({"warps": 1}),
        )  # fmt: skip

    def answer(self, at: int, latency: int, order: Order) -> int:
        """How often nothing can be issued, and how often with one warp."""
        alone = self.data.orders[0][latency]
        words = (
            f"With {self.data.held[at][1]}, {order.idle or 'none'} of the "
            f"{order.length} turns {'are' if order.idle > 1 else 'is'} empty"
        )
        if at:
            words = (
                f"One warp alone leaves {alone.idle} of its {alone.length} turns "
                f"empty; {words[0].lower()}{words[1:]}"
            )
        return self.own.number(f"{words}.")

    def does(self, order: Order) -> Numbers:
        """What is issued in each turn."""
        said = []
        for at, code in zip(order.issued.tolist(), order.code.tolist(), strict=True):
            block, warp = self.names[at]
            what = f"line {code}" if code else "an instruction"
            said.append(f"warp {warp} of block {block} issues {what}." if at >= 0 else
                        "nothing to issue.")  # fmt: skip
        return self.own.texts([f"Turn {{turn}}: {each}" for each in said])

    def others(self, order: Order) -> Numbers:
        """What the warps do in each turn that do not run."""
        counts = [(order.doing == kind).sum(axis=1) for kind in _OTHERS]
        said = []
        for each in zip(*counts, strict=True):
            parts = [f"{many} {words[int(many > 1)]}" for many, words in
                     zip(each, _OTHERS.values(), strict=True) if many]  # fmt: skip
            said.append(f"Of all warps, {joined(parts)}." if parts else "")
        return self.own.texts(said)

    def model(self, _: int, latency: int, order: Order) -> int:
        """What is assumed."""
        cut = f" Only the first {MOST_TURNS} are shown." * (order.turns == MOST_TURNS)
        return self.own.number(
            "Order, not time: one instruction each turn; a load from global memory is "
            f"assumed to take {LATENCIES[latency]} turns.{cut}"
        )


def scene_of(data: Warps) -> Scene:
    """Return the scene of a launch."""
    picture = _Picture(data)
    own, choice = picture.own, picture.choice
    track = OneOf(Index({"warps": len(LATENCIES), "latency": 1}), picture.tracks)
    axes = (
        Axis("warps", "Number of warps", len(data.held), control="choice",
             words=tuple(f"{name} on the SM" for _, name in data.held)),
        Axis("latency", "Latency", len(LATENCIES), control="choice",
             words=tuple(f"a load takes {each} turns" for each in LATENCIES)),
        Axis("turn", "Turn", picture.turns, start=1, words="turn {turn}",
             limit=Table(_CHOICE, choice(lambda *given: given[2].turns))),
    )  # fmt: skip
    return Scene(
        axes, own.all, own.looks,
        (Panel((track,), 1000, True),
         *(Panel((code,), 560, True) for code in picture.code()),
         Panel((picture.sums(),), 400, gap=36)),
        answer=(Table(_CHOICE, choice(picture.answer)),),
        detail=(picture.turn(picture.does), picture.turn(picture.others),
                Table(_CHOICE, choice(picture.model))),
        key=swatches([
            ("runs", 0, "its instruction is issued (a colour for each block)"),
            ("runs", _IDLE, "nothing to issue"),
        ]),
    )  # fmt: skip


def warps(launch: Any, latency: Any = 16) -> Figure:
    """Draw the warps of one SM in issue order: while some wait, others run.

    The SM holds one warp, one block, or all blocks that fit, as `viz.sms` counts them,
    and issues the instructions that the launch ran, one each turn. It goes on with a
    warp until that waits, then takes the first one that is ready. A warp waits where
    it uses a number that a load has not brought yet, and at barriers. This is order,
    not time: all other instructions are ready in the next turn.

    Args:
        launch: Recorded with `cuda.inspect(trace=True)`.
        latency: Turns after which a load from global memory has its number, an
            assumption: 4, 8, 16, 32 or 64. A control of the figure changes it.

    Returns:
        A figure; its `data` holds the numbers.

    Raises:
        ValueError: No trace, or another latency.
        TypeError: Not a launch.

    Example:
        >>> import numpy as np
        >>> from minitorch import cuda, viz
        >>> double = cuda.RawKernel(
        ...     "__global__ void k(float* x) { x[threadIdx.x] *= 2; }", "k")
        >>> x = cuda.to_device(np.ones(32, np.float32))
        >>> with cuda.inspect(trace=True) as run:
        ...     double[4, 32](x)
        >>> viz.warps(run.launches[0]).answer.partition(";")[0]
        'One warp alone leaves 15 of its 24 turns empty'
    """
    data, at = warps_data(launch, latency), LATENCIES.index(latency)
    order = data.orders[-1][at]  # all that fit: another warp fills the first one's turn
    filled = (order.doing[:, 0] == MEMORY) & (order.issued > 0)
    state = {"warps": len(data.held) - 1, "latency": at, "turn": int(filled.argmax())}
    figure = Figure(
        "Why does an SM hold more warps than it can run?",
        scene_of(data), state, data=data,
    )  # fmt: skip
    return of_trace(figure, launch)
