"""The scene of tiles: what a block fetches in each round, and which warp loads it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...figure.figure import Figure
from ...figure.scenes import Interned, swatches
from ...scene.drawing import number, shortened
from ...scene.phrases import counted, joined
from ...scene.scene import Axis, Bars, Cells, Index, Owners, Panel, Scene, Table
from ...traces.arrays import Array
from ...traces.launches import hue_of, spelled
from .data import Source, Tiles

_MOST_ROWS = 40
_AT = ("block", "round")


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
    words += _often(fetched) + ("" if same else " on average")
    if not source.shared.any():
        return f"{words}: no thread shares what it loads."
    reads = source.uses[source.shared].sum() / source.shared.sum()
    times = _often(used) if fetched == 1 else number(round(used, 1))
    instead = f" instead of {times}" if used > fetched else ""
    found = (
        f"{number(round(reads, 1))} reads find it" if reads != 1 else "1 read finds it"
    )
    return f"{words}{instead}: each time, {found} in shared memory."


def _array(
    array: Array, columns: int, name: str, title: str, note: str, **more: Any
) -> Cells:
    """An array as cells of 10 pixels."""
    return Cells(
        name, title, note, math.prod(array.shape), columns, (10, 10), most=_MOST_ROWS,
        labels="row", tip=(shortened(array.name, 20), array.shape), **more,
    )  # fmt: skip


class _Picture:
    """The marks of a launch, and their words."""

    def __init__(self, data: Tiles) -> None:
        self.data, self.own = data, Interned()
        self.shape = (data.blocks, data.rounds)
        self.threads = math.prod(data.launch.block)

    def block(self, number: int) -> str:
        """Name of a block."""
        grid = self.data.launch.grid
        return f"block {spelled(number, grid)}"

    def source(self, source: Source, place: int) -> Cells:
        """An array that is read: what the block loads, in this round by which warp."""
        array, threads = source.array, self.data.launch.block
        count = math.prod(array.shape)
        fetched = source.fetched
        ground = np.where(
            fetched > 0, self.own.look("untouched"), self.own.look("empty")
        )
        needed = np.full((self.shape[0], count), -1)
        needed[source.block, source.cell] = self.own.look("read")
        now, said = np.full((2, *self.shape, count), -1)
        said[:] = self.own.texts([f": fetched {_often(n)}" for n in fetched.tolist()])
        mine = source.shared
        at = source.block[mine], source.round[mine], source.cell[mine]
        warps = self.own.hues("runs")
        now[at] = warps[source.thread[mine] // 32 % 4]
        names = [spelled(each, threads) for each in range(self.threads)]
        said[at] = [
            self.own.number(f": fetched {_often(n)}, now by thread {names[thread]}")
            for n, thread in zip(
                fetched[at[2]].tolist(), source.thread[mine].tolist(), strict=True
            )
        ]
        first = np.zeros(self.shape, np.int64)
        first[source.block[::-1], source.round[::-1]] = source.cell[::-1]
        often = np.unique(fetched[fetched > 0])
        note = _often(int(often[0]))
        if len(often) > 1:
            note = f"{number(int(often[0]))} to {_often(int(often[-1]))}"
        return _array(
            array, array.shape[-1], f"source{place}", shortened(array.name, 24),
            f"{' × '.join(map(str, array.shape))}, each fetched {note}",
            looks=(ground, Table(_AT[:1], needed), Table(_AT, now)),
            said=Table(_AT, said), center=Table(_AT, first),
        )  # fmt: skip

    def written(self, array: Array, writer: np.ndarray, at: int) -> Cells:
        """An array that is written: the cells of the block in focus."""
        grid, blocks = self.data.launch.grid, np.arange(self.data.blocks)
        looks = np.array(
            [self.own.look("belongs", int(hue_of(each, grid))) for each in blocks]
        )
        mine = np.where(writer == blocks[:, None], looks[:, None], -1)
        first = np.argmax(mine >= 0, axis=1)
        ground = np.full(len(writer), self.own.look("untouched"))
        return _array(
            array, array.shape[-1], f"written{at}", shortened(array.name, 24),
            "a click leads to the block",
            looks=(ground, Table(_AT[:1], mine)),
            center=Table(_AT[:1], first), go=Owners(writer, Index({"block": 1})),
        )  # fmt: skip

    def blocks(self) -> Cells:
        """The grid."""
        grid, focus = self.data.launch.grid, Index({"block": 1})
        every = range(self.data.blocks)
        names = [spelled(each, grid) for each in every]
        looks = [self.own.look("belongs", int(hue_of(each, grid))) for each in every]
        return Cells(
            "blocks", "Blocks", "", len(every), grid[0],
            (max(8.0 + 6.2 * max(map(len, names)), 24), 24), looks=(np.array(looks),),
            words=self.own.texts(names), ring=focus, most=8, center=focus, go=focus,
        )  # fmt: skip

    def sums(self) -> Bars:
        """For each array how many numbers, fetches, and reads of shared memory."""
        rows = [
            (
                len(np.unique(each.cell)),
                len(each.cell),
                int(each.uses[each.shared].sum()),
            )
            for each in self.data.sources
        ]
        return Bars(
            "In the whole launch", ("numbers", "fetches", "shared reads"),
            tuple(shortened(each.array.name, 8) for each in self.data.sources),
            tuple(self.own.texts([f"{value:,}" for value in column])
                  for column in zip(*rows, strict=True)),
            np.array([fetches for _, fetches, _ in rows]), names_room=60,
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
    detail = Table(_AT, own.texts(details).reshape(picture.shape))
    marks: list[tuple[object, ...]] = [
        (picture.source(source, at),) for at, source in enumerate(data.sources)
    ]
    written = zip(data.written[:1], data.writers, strict=False)
    marks.append((*(picture.written(*each, 0) for each in written), picture.blocks()))
    marks.append((picture.sums(),))
    key = [("runs", 0, "a warp loads it now (a colour for each of four)")]
    key = key * any(source.shared.any() for source in data.sources)
    key += [("read", 0, "the block needs it"), ("untouched", 0, "others need it"),
            ("belongs", 0, "of the block"), ("focus", 0, "focus")]  # fmt: skip
    axes = (
        Axis("round", "Round", rounds, start=1),
        Axis("block", "Block", blocks, control=""),
    )
    return Scene(
        axes, own.all, own.looks, tuple(Panel(each, 340, gap=24) for each in marks),
        answer=(answer(data),), detail=(detail,), key=swatches(key),
    )  # fmt: skip


def draw_tiles(data: Tiles, block: int) -> Figure:
    """Draw what a block fetches in its first round."""
    return Figure(
        "How often is one number fetched?", scene_of(data),
        {"round": 0, "block": block}, data=data,
    )  # fmt: skip
