"""The scene of warps: which one an SM issues in each turn, and who waits for what."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...figure.figure import Figure
from ...figure.scenes import Interned, swatches
from ...scene.code_view import comment_of, lines_of, shown_lines, texts_of
from ...scene.palette import HUES
from ...scene.phrases import joined
from ...scene.scene import (
    Axis,
    Bars,
    Cells,
    Code,
    Index,
    Numbers,
    OneOf,
    Panel,
    Scene,
    Table,
    Track,
)
from ...traces.launches import place_of, spelled
from .data import (
    BARRIER,
    LATENCIES,
    MEMORY,
    MOST_TURNS,
    READY,
    RUNS,
    Order,
    Warps,
)

_CHOICE = ("warps", "latency")
_LOOKS = ("belongs", "runs", "reads", "waits", "bare")  # by what a warp does
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
        blocks = list(dict.fromkeys(each.block for each in data.streams))
        places = [blocks.index(each.block) for each in data.streams]
        self.blocks = [spelled(place_of(each, grid), grid) for each in blocks]
        self.hues = np.array(places) % HUES
        rank = np.arange(len(places)) - np.searchsorted(places, places)
        self.wide = 1 + int(rank.max())
        self.slots = np.array(places) * self.wide + rank
        self.names = [
            (self.blocks[at], each.warp)
            for at, each in zip(places, data.streams, strict=True)
        ]
        self.tracks = tuple(self.track(order) for order in every)

    def choice(self, each: Callable[[int, int, Order], int]) -> Numbers:
        """A number for each choice, given the choices of warps and latency."""
        return np.array([[each(at, latency, order) for latency, order in enumerate(row)]
                         for at, row in enumerate(self.data.orders)])  # fmt: skip

    def turn(self, each: Callable[[Order], Any], *items: int, other: int = -1) -> Table:
        """What is so in each turn of each choice; `other` where there is nothing."""
        rows = self.data.orders
        found = np.full((len(rows), len(rows[0]), self.turns, *items), other)
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
        names = [f"{_short(block)} w{warp}" for block, warp in self.names[: self.rows]]
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

    def now(self) -> Cells:
        """What each warp does in a turn, and at which line it is."""
        count, own = len(self.hues), self.own
        looks = np.array([[own.look(each, who) for who in range(HUES)]
                          for each in _LOOKS])  # fmt: skip
        most = max(int(each.line.max()) for each in self.data.streams)
        lines = own.texts(["·", *map(str, range(1, most + 1))])
        return Cells(
            "now", "The warps in turn {turn}", "and the line of each", count,
            self.wide, (27, 20), most=16, fold=True, blank=True, slots=self.slots,
            looks=(self.turn(
                lambda order: looks[order.doing, self.hues[: order.doing.shape[1]]],
                count, other=own.look("empty"),
            ),),
            words=self.turn(lambda order: lines[order.line], count),
            ring=self.turn(lambda order: order.issued),
            labels=own.texts([_short(each) for each in self.blocks]),
        )  # fmt: skip

    def sums(self) -> Bars:
        """For each number of warps the turns in which none is ready."""

        def column(each: Callable[[int, int, Order], int]) -> Table:
            return Table(("latency",), self.choice(each).T)

        held, word = self.data.held, self.own.number
        return Bars(
            "Turns with nothing to issue", ("warps", "turns", "idle"),
            tuple(name for _, name in held),
            (column(lambda at, *_: word(str(held[at][0]))),
             column(lambda *choice: word(choice[2].length)),
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


def _short(block: str) -> str:
    return "b" + block.strip("()").replace(" ", "")


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
         Panel((*picture.code(), picture.sums()), 480, True, 24),
         Panel((picture.now(),), 340, gap=36)),
        answer=(Table(_CHOICE, choice(picture.answer)),),
        detail=(picture.turn(picture.does), picture.turn(picture.others),
                Table(_CHOICE, choice(picture.model))),
        key=swatches([
            ("runs", 0, "its instruction is issued (a colour for each block)"),
            ("belongs", 0, "ready"), ("reads", 0, "waits for memory"),
            ("waits", 0, "waits at a barrier"), ("bare", 0, "done"),
            ("empty", 0, "not held"), ("runs", _IDLE, "nothing to issue"),
        ]),
    )  # fmt: skip


def draw_warps(data: Warps, latency: int) -> Figure:
    """Draw all warps that fit, in a turn that another warp fills for the first."""
    at = LATENCIES.index(latency)
    order = data.orders[-1][at]
    filled = (order.doing[:, 0] == MEMORY) & (order.issued > 0)
    state = {"warps": len(data.held) - 1, "latency": at, "turn": int(filled.argmax())}
    return Figure(
        "Why does an SM hold more warps than it can run?",
        scene_of(data), state, data=data,
    )  # fmt: skip
