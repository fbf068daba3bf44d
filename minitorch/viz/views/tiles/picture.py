"""The scene of tiles: what a block fetches in each round, and which warp loads it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...figure.scenes import Interned, moves_of, swatches
from ...scene.drawing import number, shortened
from ...scene.phrases import counted, joined
from ...scene.scene import Axis, Cells, Index, Owners, Panel, Scene, Table
from ...traces.arrays import Array
from ...traces.launches import spelled, thread_words
from .data import Source, Tiles

_MOST_ROWS, _WIDE = 40, 340.0
_MOST_NUMBERS, _MOST_FETCHES = 4096, 2  # that can be followed, and of one in words
_AT, _WRITES = ("block", "round"), 2  # hue of what is written


def _often(count: float) -> str:
    words = number(round(count, 1) if count % 1 else int(count))
    return "once" if words == "1" else f"{words} times"


def answer(data: Tiles) -> str:
    """How often one number is fetched, and what sharing saved."""
    source = max(data.sources, key=lambda each: each.mean(int(each.uses.sum())))
    name, loads = shortened(source.array.name, 20), len(source.cell)
    fetched, used = source.mean(loads), source.mean(int(source.uses.sum()))
    same = len(np.unique(source.fetched[source.fetched > 0])) == 1
    words = f"{'Each number' if same else 'A number'} of {name} is fetched "
    words += _often(fetched) + " on average" * (not same) + " from global memory"
    if not source.shared.any():
        return f"{words}: no thread shares what it loads."
    reads = source.uses[source.shared].sum() / source.shared.sum()
    times = _often(used) if fetched == 1 else number(round(used, 1))
    instead = f" instead of {times}" if used > fetched else ""
    found = (
        f"{number(round(reads, 1))} reads find it" if reads != 1 else "1 read finds it"
    )
    pairs = np.unique([source.block, source.cell], axis=1).shape[1]
    when = "each time, "
    if fetched > 1 and source.shared.all() and pairs == loads:
        when = "once for each block that needs it, then "
    return f"{words}{instead}: {when}{found} in shared memory."


def _array(
    array: Array, columns: int, name: str, title: str, note: str, **more: Any
) -> Cells:
    """An array as cells as large as three arrays beside each other have room for."""
    size = max(min(18, math.floor(10 * (_WIDE - 36) / columns) / 10), 9)
    return Cells(
        name, title, note, math.prod(array.shape), columns, (size, size),
        most=_MOST_ROWS,
        labels="row", tip=(shortened(array.name, 20), array.shape), **more,
    )  # fmt: skip


class _Picture:
    """The marks of a launch, and their words."""

    def __init__(self, data: Tiles) -> None:
        self.data, self.own = data, Interned()
        self.shape = (data.blocks, data.rounds)
        sizes = [math.prod(each.array.shape) for each in data.sources]
        self.start = np.cumsum([0, *sizes]).tolist()
        self.numbers = self.start[-1] if self.start[-1] <= _MOST_NUMBERS else 1

    def block(self, number: int) -> str:
        """Name of a block."""
        grid = self.data.launch.grid
        return f"block {spelled(number, grid)}"

    def source(self, source: Source, place: int) -> Cells:
        """An array that is read: what the block loads, in this round by which warp."""
        array, count = source.array, math.prod(source.array.shape)
        fetched = source.fetched
        ground = np.where(
            fetched > 0, self.own.look("untouched"), self.own.look("empty")
        )
        needed = np.full((self.shape[0], count), -1)
        needed[source.block, source.cell] = self.own.look("read")
        now, mine = np.full((*self.shape, count), -1), source.shared
        at = source.block[mine], source.round[mine], source.cell[mine]
        now[at] = self.own.hues("runs")[source.thread[mine] // 32 % 4]
        first = np.zeros(self.shape, np.int64)
        first[source.block[::-1], source.round[::-1]] = source.cell[::-1]
        often = np.unique(fetched[fetched > 0])
        note = _often(int(often[0]))
        if len(often) > 1:
            note = f"{number(int(often[0]))} to {_often(int(often[-1]))}"
        follow: dict[str, Any] = {}
        if self.numbers > 1:
            note += "; click to follow"
            cell = np.arange(self.numbers) - self.start[place]
            own = np.where(fetched > 0, self.start[place] + np.arange(count), -1)
            follow = {
                "ring": Table(("number",), np.where(cell < count, cell, -1)),
                "go": Owners(own, Index({"number": 1})),
            }
        return _array(
            array, array.shape[-1], f"source{place}", shortened(array.name, 24),
            f"{' × '.join(map(str, array.shape))}, each fetched {note}",
            looks=(ground, Table(_AT[:1], needed), Table(_AT, now)),
            center=Table(_AT, first), **follow,
        )  # fmt: skip

    def follows(self, source: Source) -> list[str]:
        """Who fetches each number of an array, and how often it is read then."""
        launch, order = self.data.launch, np.argsort(source.cell, kind="stable")
        ends = np.cumsum(source.fetched)
        found = []
        for cell, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
            mine = order[start:end]
            who = [
                thread_words(block, thread, launch.grid, launch.block)
                for thread, block in np.stack([source.thread, source.block], axis=1)[
                    mine[:_MOST_FETCHES]
                ].tolist()
            ]
            more = len(mine) - len(who)
            who += [f"{number(more)} more"] * (more > 0)
            reads = int(source.uses[mine][source.shared[mine]].sum())
            shared = f", and read {_often(reads)} from shared memory" * (reads > 0)
            name = source.array.spelled(cell)
            said = f"{name} is fetched {_often(len(mine))}, by {joined(who)}{shared}."
            found.append(said if who else f"{name} is not fetched.")
        return found

    def written(self, array: Array, writer: np.ndarray) -> Cells:
        """An array that is written: the cells of the block in focus."""
        blocks, look = np.arange(self.data.blocks), self.own.look("belongs", _WRITES)
        mine = np.where(writer == blocks[:, None], look, -1)
        first = np.argmax(mine >= 0, axis=1)
        ground = np.full(len(writer), self.own.look("untouched"))
        return _array(
            array, array.shape[-1], "written", shortened(array.name, 24),
            "a click leads to the block",
            looks=(ground, Table(_AT[:1], mine)),
            center=Table(_AT[:1], first), go=Owners(writer, Index({"block": 1})),
        )  # fmt: skip

    def does(self, block: int, turn: int) -> str:
        """What a block loads in a round."""
        parts = []
        for source in self.data.sources:
            mine = (source.block == block) & (source.round == turn)
            if not mine.any():
                continue
            cells, name = len(np.unique(source.cell[mine])), source.array.name
            often = mine.sum() / cells
            again = f" ({_often(often)} each)" if often > 1 else ""
            parts.append(f"{counted(cells, 'number')} of {shortened(name, 20)}{again}")
        words = f"{self.block(block).capitalize()} fetches {joined(parts) or 'nothing'}"
        rounds = self.data.rounds
        return (
            f"{words} in round {turn + 1} of {rounds}." if rounds > 1 else f"{words}."
        )


def scene_of(data: Tiles) -> Scene:
    """Return the scene of a launch."""
    picture = _Picture(data)
    own, (blocks, rounds) = picture.own, picture.shape
    details = [
        picture.does(block, turn) for block in range(blocks) for turn in range(rounds)
    ]
    detail: tuple[Any, ...] = (Table(_AT, own.texts(details).reshape(picture.shape)),)
    if picture.numbers > 1:
        said = [text for each in data.sources for text in picture.follows(each)]
        detail += (own.table("number", said),)
    marks = [picture.source(source, at) for at, source in enumerate(data.sources)]
    marks += [picture.written(*data.written)] if data.written else []
    key = [("runs", 0, "number that a warp loads in this round (repeats after 4)")]
    key = key * any(source.shared.any() for source in data.sources)
    again = " in another round" if rounds > 1 else ""
    key += [("read", 0, f"number that the block needs{again}"),
            ("untouched", 0, "not of the block"),
            ("belongs", _WRITES, "what the block writes"),
            ("focus", 0, "number in focus")]  # fmt: skip
    names = [spelled(each, data.launch.grid) for each in range(blocks)]
    axes = (
        Axis("round", "Round", rounds, start=1, words=f"{{round}} of {rounds}"),
        Axis("block", "Block", blocks, control="range", words=own.table("block", names),
             moves=moves_of("[ ]", "block", blocks)),
        Axis("number", "", picture.numbers, control=""),
    )  # fmt: skip
    return Scene(
        axes, own.all, own.looks,
        tuple(Panel((each,), _WIDE, gap=24) for each in marks),
        answer=(answer(data),), detail=detail, key=swatches(key),
    )  # fmt: skip
