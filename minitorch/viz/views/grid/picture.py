"""The scene of the grid view: the grid, the arrays, one thread's cells, reuse."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...figure.figure import Figure
from ...figure.scenes import Interned, missed_cells, swatches
from ...scene.drawing import number, shortened
from ...scene.phrases import counted, joined
from ...scene.scene import (
    Axis,
    Bars,
    Cells,
    Index,
    Masked,
    Owners,
    Panel,
    Pattern,
    Scene,
    Table,
)
from ...traces.launches import Place, hue_of, number_at, place_of, spelled
from .thread_cells import UNKNOWN, CellColumns
from .touched import GridData

_MOST_ARRAYS, _ROOM = 5, 340.0
_FEW, _MANY, _KNOWN = 128, 1024, 4096  # cells with all values, with some, with readers
_MOST_ROWS, _FLAT, _FOLD = 64, 16, 32
Numbers = NDArray[Any]


def spelled_cells(name: str, shape: tuple[int, ...], cells: Numbers) -> str:
    """Return cells in words: one cell, a row, a column, a stretch, or their number.

    Example:
        >>> row = np.arange(16, 24)
        >>> spelled_cells("A", (4, 8), row), spelled_cells("A", (4, 8), row[:3])
        ('row 2 of A', 'A[2, 0–2]')
    """
    places = np.stack(np.unravel_index(cells, shape), axis=-1)
    low, high = places.min(axis=0).tolist(), places.max(axis=0).tolist()
    index = [str(each) for each in low]
    if len(cells) == 1:
        return f"{name}[{', '.join(index)}]"
    varying = [axis for axis in range(len(shape)) if low[axis] != high[axis]]
    if len(varying) == 1 and len(cells) == high[varying[0]] - low[varying[0]] + 1:
        axis = varying[0]
        if len(shape) == 2 and len(cells) == shape[axis]:
            return f"{'column' if axis == 0 else 'row'} {low[1 - axis]} of {name}"
        index[axis] = f"{low[axis]}–{high[axis]}"
        return f"{name}[{', '.join(index)}]"
    return f"{len(cells):,} cells of {name}"


def slots_of(
    grid: Place, block: Place, first: int, blocks: int
) -> tuple[Numbers, int, Numbers]:
    """Return where threads are drawn: slots, how many in a row, blocks' outlines.

    Blocks lie as in the grid, and in each its threads by x, below each other by y and
    z; a long row of blocks is broken, and so is a long row of threads.

    Args:
        grid, block: (x, y, z).
        first, blocks: Which blocks.
    """
    size = math.prod(block)
    x, y, z = place_of(np.arange(size), block)
    count = math.prod(grid)
    small = block[1] * block[2] == 1 and size * count <= 256
    fold = min(block[0], _FOLD // 2 if small else _FOLD)
    rows = -(-block[0] // fold) * block[1] * block[2]
    if rows > 4 * max(fold, 16):
        fold, rows = _FOLD, -(-size // _FOLD)
        row, column = np.divmod(np.arange(size), fold)
    else:
        row = (z * block[1] + y) * -(-block[0] // fold) + x // fold
        column = x % fold
    across = grid[0]
    if grid[1] * grid[2] == 1 or across > 32 or blocks > 4 * across * 16:
        across = max(1, min(blocks, round((blocks * rows / fold) ** 0.5)))
        outer = np.arange(blocks)
    else:
        outer = np.arange(blocks) + first % across
    down, right = np.divmod(outer, across)
    wide = across * fold
    slots = (down[:, None] * rows + row) * wide + right[:, None] * fold + column
    hues = hue_of(np.arange(first, first + blocks), grid)
    size_ = np.broadcast_to([rows, fold], (blocks, 2)).T
    boxes = np.stack([down * rows, right * fold, *size_, hues])
    return slots.reshape(-1), wide, boxes.T


@dataclass(frozen=True)
class _Builder:
    """What parts of the scene share."""

    data: GridData

    @cached_property
    def own(self) -> Interned:
        return Interned()

    @cached_property
    def size(self) -> int:
        """Threads of a block."""
        return math.prod(self.data.block)

    @cached_property
    def at(self) -> Index:
        return Index({"block": self.size, "thread": 1})

    def table(self, values: Numbers) -> Table:
        """A value for each thread."""
        shape = (self.data.threads.blocks, self.size, *values.shape[1:])
        return Table(("block", "thread"), values.reshape(shape))

    @cached_property
    def places(self) -> list[tuple[int, int]]:
        """Block and thread of each thread of the picture."""
        first = self.data.threads.first_block
        return [(first + at // self.size, at % self.size)
                for at in range(self.data.threads.blocks * self.size)]  # fmt: skip

    def who(self, block: int, thread: int) -> str:
        """Return a thread as sentences name it."""
        data = self.data
        name = f"hread {spelled(thread, data.block)}"
        if math.prod(data.grid) > 1:
            name += f" of block {spelled(block, data.grid)}"
        return name

    def cells_of(self, columns: CellColumns, thread: int) -> Numbers:
        """Return the flat cells of a thread."""
        pattern = self.data.threads.patterns[columns.pattern[thread]]
        return np.asarray(pattern + columns.first[thread])

    def grid(self) -> Cells:
        data = self.data
        first, blocks = data.threads.first_block, data.threads.blocks
        slots, wide, outlines = slots_of(data.grid, data.block, first, blocks)
        deep = data.block[1] * data.block[2] > 1
        rows = int(slots.max()) // wide + 1
        room = min(_ROOM / wide, _ROOM / rows)
        axes = (3 if data.block[2] > 1 else 2) if deep and room >= 26 else 1
        labels = [",".join(map(str, place_of(thread, data.block)[:axes]))
                  for thread in range(self.size)]  # fmt: skip
        longest = max(map(len, labels))
        cell = max(min(room, 32.0 if axes > 1 else 20.0), 4.5)
        numbered = cell >= 6.02 * longest + 1
        total = math.prod(data.grid)
        said = ["colour: block"]
        if numbered:
            said.append(f"number: threadIdx.{','.join('xyz'[:axes])}")
        if blocks < total:
            said.append(f"… and {total - blocks:,} more blocks like these")
        hues = np.repeat(outlines[:, 4], self.size)
        looks = self.own.hues("belongs")
        runs = self.own.hues("runs")
        threads = len(slots)
        none = np.zeros(threads, int)
        focus = Pattern(self.at, none, np.arange(threads), np.array([0, 1]),
                        np.array([0]), self.table(runs[hues]))  # fmt: skip
        layers: list[Any] = [looks[hues], focus]
        if data.fault is not None and first <= data.fault.block < first + blocks:
            failed = np.full(threads, -1)
            at = (data.fault.block - first) * self.size + data.fault.thread
            failed[at] = self.own.look("wrong")
            layers.append(failed)
        few = outlines[:, 1].max() <= outlines[0, 3] and cell * outlines[0, 2] >= 12
        names = [
            spelled(at, data.grid).strip("()").replace(" ", "")
            for at in range(first, first + blocks)
        ]
        count = f"{_times(data.grid)} block{'s' * (total > 1)}"
        inside = f"{_times(data.block)} thread{'s' * (self.size > 1)}"
        return Cells(
            name="threads",
            title=f"Grid: {count} of {inside}",
            note=" · ".join(said),
            count=threads,
            columns=wide,
            size=(cell, cell),
            looks=tuple(layers),
            words=np.tile(self.own.texts(labels), blocks) if numbered else None,
            ring=self.at,
            slots=slots,
            outlines=outlines,
            outlined=Table(("block",), np.arange(blocks)),
            labelled=tuple(names) if few else (),
            go=self.at,
        )  # fmt: skip

    def pattern(self, columns: CellColumns, kind: str) -> Pattern:
        """Return the layer of cells that the focused thread reads or writes."""
        patterns = self.data.threads.patterns
        ends = np.cumsum([0, *map(len, patterns)])
        looks = self.own.hues(kind)
        blocks = np.arange(self.data.threads.blocks) + self.data.threads.first_block
        hues = hue_of(blocks, self.data.grid)
        value = Table(("block",), looks[hues])
        return Pattern(self.at, np.maximum(columns.pattern, 0), columns.first, ends,
                       self.offsets, value)  # fmt: skip

    @cached_property
    def offsets(self) -> Numbers:
        return np.concatenate([*self.data.threads.patterns, np.zeros(0, int)])

    def array(self, at: int) -> Cells:
        data, touched = self.data, self.data.arrays[at]
        shape = touched.array.shape
        count = math.prod(shape)
        wide = shape[-1] if len(shape) > 1 else min(count, _FLAT)
        writer = touched.writer.reshape(-1)
        looks = self.own.hues("belongs")
        ground = np.where(writer < 0, self.own.look("untouched"),
                          looks[hue_of(np.maximum(writer, 0), data.grid)])  # fmt: skip
        reads, writes = data.threads.reads[at], data.threads.writes[at]
        layers = self.pattern(reads, "reads"), self.pattern(writes, "runs")
        cell = min(20.0, _ROOM / min(wide, _MOST_ROWS))
        words: Any = None
        values = touched.array.values
        if values is not None and values.dtype.kind in "biuf" and cell >= 15:
            words = self.own.values(values.reshape(-1)) if count <= _MANY else None
        if words is not None and count > _FEW:
            words = Masked(words, layers)
        mine = np.where(writes.pattern > 0, writes.first, -1)
        seen = np.where(mine >= 0, mine, np.where(reads.pattern > 0, reads.first, 0))
        axes = " × ".join(map(number, shape)) + " cells" * (len(shape) == 1)
        said, owner = self.said(at)
        return Cells(
            name=f"array{at}",
            title=shortened(touched.array.name, 30),
            note=self.table(self.own.texts([self.note(axes, at, each)
                                            for each in range(len(self.places))])),
            count=count,
            columns=wide,
            size=(cell, cell),
            looks=(ground, *layers),
            words=words,
            blank=True,
            ring=self.table(mine),
            most=_MOST_ROWS,
            center=self.table(seen),
            labels="row" if len(shape) > 1 else "cell",
            go=Owners(owner, self.at),
            tip=(shortened(touched.array.name, 20), shape),
            said=said,
        )  # fmt: skip

    def note(self, axes: str, at: int, thread: int) -> str:
        parts = self.does(at, thread)
        if not parts:
            return axes
        name = shortened(self.data.arrays[at].array.name, 20)
        said = f"the thread {' and '.join(parts)}".replace(f" of {name}", "")
        return f"{axes} · {said}" if len(said) < 42 else axes

    def does(self, at: int, thread: int) -> list[str]:
        """Return what a thread does to an array, in words."""
        both = self.data.threads.reads[at], self.data.threads.writes[at]
        return [f"{verb} {self.spell(at, columns, thread)}"
                for verb, columns in zip(("reads", "writes"), both, strict=True)
                if columns.pattern[thread] > 0]  # fmt: skip

    @cached_property
    def _spelled(self) -> dict[tuple[int, int, int], str]:
        return {}

    def spell(self, at: int, columns: CellColumns, thread: int) -> str:
        key = at, int(columns.pattern[thread]), int(columns.first[thread])
        if key not in self._spelled:
            array = self.data.arrays[at].array
            cells = self.cells_of(columns, thread)
            name = shortened(array.name, 20)
            self._spelled[key] = spelled_cells(name, array.shape, cells)
        return self._spelled[key]

    def said(self, at: int) -> tuple[Any, Numbers]:
        """Return who reads and writes each cell in words, and whom a click chooses."""
        threads, count = self.data.threads, self.data.arrays[at].writer.size
        owner = np.full(count, -1)
        if count > _KNOWN:
            return None, owner
        often = [np.zeros(count, int), np.zeros(count, int)]
        one = np.full((2, count), -1)
        for way, columns in enumerate((threads.reads[at], threads.writes[at])):
            for thread in np.nonzero(columns.pattern > 0)[0].tolist():
                cells = self.cells_of(columns, thread)
                often[way][cells] += 1
                one[way, cells] = thread
        owner = np.where(one[1] >= 0, one[1], one[0])

        def by(way: int, cell: int) -> str:
            many = int(often[way][cell])
            if many != 1:
                return f"{number(many) if many else 'no'} thread{'s' * (many > 1)}"
            return f"t{self.who(*self.places[one[way, cell]])}"

        texts = [f" is read by {by(0, cell)}, and written by {by(1, cell)}."
                 for cell in range(count)]  # fmt: skip
        return self.own.texts(texts), owner

    def answer(self, thread: int) -> str:
        """Return which cells a thread reads and writes, in a sentence."""
        data, threads = self.data, self.data.threads
        block, inner = self.places[thread]
        who = f"T{self.who(block, inner)}"
        fault = data.fault
        failed = fault is not None and (block, inner) == (fault.block, fault.thread)
        if fault is not None and failed and not fault.ended:
            return f"{who} {fault.words}."
        if self.is_left_out(thread):
            return f"{who} touches more cells than this picture holds."
        reads, writes = (
            [self.spell(at, columns, thread) for at, columns in enumerate(every)
             if columns.pattern[thread] > 0]
            for every in (threads.reads, threads.writes)
        )  # fmt: skip
        updates = bool(threads.atomic[thread])
        reads = [each for each in reads if not updates or each not in writes]
        done = [f"reads {joined(reads)}"] if reads else []
        if writes:
            done.append(f"{'updates' if updates else 'writes'} {joined(writes)}")
        if fault is not None and failed:
            done.append(fault.words)
        return f"{who} {', and '.join(done)}." if done else f"{who} touches no cell."

    def is_left_out(self, thread: int) -> bool:
        threads = self.data.threads
        every = (*threads.reads, *threads.writes)
        return any(each.pattern[thread] == UNKNOWN for each in every)

    def detail(self, thread: int) -> str:
        block, inner = self.places[thread]
        if self.is_left_out(thread):
            return f"viz.grid(launch, thread={inner}, block={block}) draws them."
        every = self.data.threads.writes
        writes = sum(len(self.cells_of(each, thread)) for each in every)
        reads = int(self.data.threads.reuse[0].reads[thread])
        made = counted(reads, "read"), counted(writes, "cell")
        return f"It makes {made[0]} and writes {made[1]}."

    def sums(self) -> Cells:
        """Return the thread's place in the whole grid, as kernels compute it."""
        data = self.data
        axes = [at for at in range(3) if at == 0 or data.grid[at] * data.block[at] > 1]
        texts = []
        for block, thread in self.places:
            outer, inner = place_of(block, data.grid), place_of(thread, data.block)
            for at in axes:
                whole = outer[at] * data.block[at] + inner[at]
                texts.append(f"{outer[at]} × {data.block[at]} + {inner[at]} = {whole}")
        names = [f"{'xyz'[at]} = blockIdx × blockDim + threadIdx" for at in axes]
        return Cells(
            "sums", "Where the thread is in the grid", "", len(axes), 0, (300, 46),
            words=self.table(self.own.texts(texts).reshape(-1, len(axes))),
            captions=(self.own.texts(names),),
        )  # fmt: skip

    def reuse(self) -> Bars:
        threads = self.data.threads
        every = np.arange(len(self.places))
        warps = -(-self.size // 32)
        block, thread = np.divmod(every, self.size)
        groups = every, block * warps + thread // 32, block, 0 * every
        reads, cells = (
            np.stack([getattr(each, name)[group] for each, group in
                      zip(threads.reuse, groups, strict=True)], axis=1)
            for name in ("reads", "cells")
        )  # fmt: skip
        often = np.round(10 * reads / np.maximum(cells, 1)).astype(int)

        def words(values: Numbers, by: float) -> Table:
            unique, at = np.unique(values, return_inverse=True)
            own = [number(each / by if each % by else each // by) if each else ""
                   for each in unique.tolist()]  # fmt: skip
            return self.table(self.own.texts(own)[at].reshape(values.shape))

        return Bars(
            "How often is the same cell read?", ("reads", "cells", "per cell"),
            ("one thread", "one warp", "one block", "the grid"),
            (words(reads, 1), words(cells, 1), words(often, 10)), self.table(often),
        )  # fmt: skip


def _times(place: Place) -> str:
    used = 3 if place[2] > 1 else 2 if place[1] > 1 else 1
    return " × ".join(map(number, place[:used]))


def is_at_fault(data: GridData) -> bool:
    """Is the focused thread the one in which something went wrong?"""
    at = number_at(data.at_block, data.grid), number_at(data.at_thread, data.block)
    return data.fault is not None and at == (data.fault.block, data.fault.thread)


def _end(data: GridData) -> str:
    """What went wrong, for those who look at another thread."""
    if data.fault is None:
        return ""
    thread = spelled(data.fault.thread, data.block)
    block = spelled(data.fault.block, data.grid)
    where = f"Line {data.fault.line}" if data.fault.line else "The kernel"
    place = f"in thread {thread} of block {block}"
    if not data.fault.ended:
        return f"{where} goes wrong {place}; the launch went on."
    return f"{where} failed {place}, which ended the launch."


def _tail(data: GridData) -> str:
    """What holds for every thread of the launch, and what the picture leaves out."""
    grid, known = data.threads.reuse[-1], data.threads.known
    threads = math.prod(data.grid) * math.prod(data.block)
    often = ""
    reads, cells = int(grid.reads[0]), int(grid.cells[0])
    if reads > cells:
        mean = number(round(reads / cells, 1))
        often = f"The grid reads each cell {mean} times on average."
    reach = "" if known == threads else (
        f"Pointer and keys reach {known:,} of {threads:,} threads."
    )  # fmt: skip
    left = len(data.arrays) - _MOST_ARRAYS
    more = f"{left} more array{'s' * (left > 1)} are not drawn." if left > 0 else ""
    return " ".join(filter(None, [_end(data), often, reach, more]))


def _used(columns: Iterable[CellColumns]) -> bool:
    return any(each.pattern.any() for each in columns)


def _key(data: GridData, hue: int) -> Any:
    verb = "updates" if data.threads.atomic.any() else "writes"
    key = [("belongs", hue, "thread of this block, or cell that it wrote")]
    if _used(data.threads.writes):
        key.append(("runs", hue, f"the thread, and what it {verb}"))
    if _used(data.threads.reads):
        key.append(("reads", hue, "cell that the thread reads"))
    key.append(("untouched", 0, "cell that nobody wrote"))
    key.append(("focus", 0, "focused thread and its cell"))
    if data.fault is not None:
        key.append(("wrong", 0, "finding"))
    return swatches(key)


def scene_of(data: GridData) -> Scene:
    """Return the scene of a grid's threads.

    Args:
        data: From `grid_data`.
    """
    own = _Builder(data)
    drawn = sorted(range(len(data.arrays)), key=data.kinds.__getitem__)[:_MOST_ARRAYS]
    arrays = [own.array(at) for at in drawn]
    columns = (own.grid(), *arrays[1::2]), tuple(arrays[0::2])
    panels = [Panel(marks, _ROOM + 20, gap=20) for marks in columns if marks]
    panels.append(Panel((own.sums(), own.reuse()), 310, grow=True, gap=20))
    every = range(len(own.places))
    answers = own.table(own.own.texts([own.answer(at) for at in every]))
    details = own.table(own.own.texts([own.detail(at) for at in every]))
    hue = int(hue_of(number_at(data.at_block, data.grid), data.grid))
    blocks, first = data.threads.blocks, data.threads.first_block
    return Scene(
        axes=(
            Axis("block", "", blocks, first, control=""),
            Axis("thread", "Thread", own.size, control=""),
        ),
        panels=(*panels, *missed_cells(data.fault, own.own)),
        answer=(answers,),
        detail=(details, _tail(data)),
        key=_key(data, hue),
        words=own.own.all,
        looks=own.own.looks,
    )  # fmt: skip


def draw_grid_view(data: GridData) -> Figure:
    """Draw which cells one thread touches, and every other thread."""
    state = {
        "block": number_at(data.at_block, data.grid) - data.threads.first_block,
        "thread": number_at(data.at_thread, data.block),
    }
    return Figure(
        "Which cells does one thread touch?", scene_of(data), state,
        findings=int(data.fault is not None), data=data,
    )  # fmt: skip
