"""The scene of the grid view: the grid, the arrays, one thread's cells, reuse."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....cuda.inspecting.accesses import READ
from ....cuda.inspecting.trace import LANES
from ...figure.figure import Figure
from ...figure.scenes import Interned, missed_cells, swatches
from ...scene.code_view import comment_of, texts_of
from ...scene.drawing import number, shortened
from ...scene.phrases import counted, joined
from ...scene.scene import (
    Axis,
    Bars,
    Cells,
    Chosen,
    Code,
    Guide,
    Index,
    Latest,
    Masked,
    Owners,
    Panel,
    Pattern,
    Scene,
    Table,
)
from ...traces.faults import Fault
from ...traces.launches import (
    VERBS,
    Place,
    extent_words,
    hue_of,
    number_at,
    place_of,
    spelled,
    thread_words,
)
from .thread_cells import UNKNOWN, CellColumns, spelled_cells
from .touched import COLUMN, ROW, WRITTEN, GridData

_MOST_ARRAYS, _ROOM = 5, 300.0  # width of cells with their labels
_CELL = 18.0
_FEW, _MANY, _KNOWN = 128, 1024, 4096  # cells with all values, with some, with readers
_MOST_ROWS, _FLAT, _FOLD = 64, 16, 32
_UNITS = ("thread", "warp", "block")
_WHO = tuple(f"one {each}" for each in _UNITS)
Numbers = NDArray[Any]
# A condition with parentheses or a colon at its end, and names in it.
_TEST = re.compile(r"\bif\s*(\((?:[^()]|\([^()]*\))*\)|[^:]+:)")
_NAME = re.compile(r"[A-Za-z_]\w*(?:\.\w+(?:\[\d\])?)?")


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

    drawn: list[int]

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

    @cached_property
    def groups(self) -> tuple[Numbers, ...]:
        """Numbers of each thread, its warp and its block, for each thread."""
        every = np.arange(len(self.places))
        block, thread = np.divmod(every, self.size)
        return every, block * -(-self.size // LANES) + thread // LANES, block

    def each_group(self, words: Callable[[int, int], str]) -> Chosen:
        """Return words that `words(unit, thread)` gives for a thread of each group."""
        tables = []
        for unit, group in enumerate(self.groups):
            _, first = np.unique(group, return_index=True)
            texts = self.own.texts([words(unit, thread) for thread in first.tolist()])
            tables.append(self.table(texts[group]))
        return Chosen("who", tuple(tables))

    def who(self, block: int, thread: int, unit: int = 0) -> str:
        """Return a thread, its warp or its block as sentences name it."""
        data = self.data
        of = f"block {spelled(block, data.grid)}"
        if unit == 1:
            return f"warp {thread // LANES}" + f" of {of}" * (math.prod(data.grid) > 1)
        return of if unit else thread_words(block, thread, data.grid, data.block)

    def cells_of(self, columns: CellColumns, thread: int) -> Numbers:
        """Return the flat cells of a thread."""
        pattern = self.data.threads.patterns[columns.pattern[thread]]
        return np.asarray(pattern + columns.first[thread])

    @cached_property
    def laid(self) -> tuple[Numbers, int, Numbers, int, list[str], float, float, int]:
        """What `slots_of` returns, numbers and their axes, a thread's size, rows."""
        data = self.data
        first, blocks = data.threads.first_block, data.threads.blocks
        slots, wide, outlines = slots_of(data.grid, data.block, first, blocks)
        deep = data.block[1] * data.block[2] > 1
        rows = int(slots.max()) // wide + 1
        room, high = math.floor(10 * (_ROOM - 20) / wide) / 10, _ROOM / rows
        for axes in (3 if data.block[2] > 1 else 2, 1) if deep else (1,):
            labels = [",".join(map(str, place_of(thread, data.block)[:axes]))
                      for thread in range(self.size)]  # fmt: skip
            wanted = 7.0 * max(map(len, labels)) + 6
            if wanted <= room:
                break
        cell = max(
            math.floor(10 * min(room, high, 24 if axes > 1 else _CELL)) / 10, 4.5
        )
        across = max(wanted, cell) if cell >= 16 and wanted <= room else cell
        return slots, wide, outlines, axes, labels, across, cell, rows

    @cached_property
    def numbered(self) -> str:
        """Which numbers stand in threads; "" where there is no room."""
        _, _, _, axes, labels, across, *_ = self.laid
        fits = across - 4 >= 6.02 * max(map(len, labels))
        return f" (number: threadIdx.{','.join('xyz'[:axes])})" * fits

    def grid(self) -> Cells:
        data = self.data
        first, blocks = data.threads.first_block, data.threads.blocks
        slots, wide, outlines, _, labels, across, cell, _ = self.laid
        total = math.prod(data.grid)
        rest = f"… and {total - blocks:,} more blocks like these"
        hues = np.repeat(outlines[:, 4], self.size)
        looks = self.own.hues("belongs")
        runs = self.own.hues("runs")
        threads = len(slots)
        none = np.zeros(threads, int)
        last = (self.size - 1) // LANES * LANES
        inner = np.arange(threads) % self.size
        sizes = [1, LANES, self.size - last, self.size]
        ends = np.cumsum([0, *sizes])
        offsets = np.concatenate(list(map(np.arange, sizes)))
        first_of = np.arange(threads) - np.stack([none, inner % LANES, inner])
        pattern = np.stack([none, 1 + (inner >= last), none + 3])
        focus = Chosen("who", tuple(
            Pattern(self.at, which, start, ends, offsets, self.table(runs[hues]))
            for which, start in zip(pattern, first_of, strict=True)
        ))  # fmt: skip
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
        count = f"{extent_words(data.grid)} block{'s' * (total > 1)}"
        inside = f"{extent_words(data.block)} thread{'s' * (self.size > 1)}"
        return Cells(
            name="threads",
            title=f"Grid: {count} of {inside}",
            note=rest * (blocks < total),
            count=threads,
            columns=wide,
            size=(across, cell),
            looks=tuple(layers),
            words=np.tile(self.own.texts(labels), blocks) if self.numbered else None,
            ring=self.at,
            high=self.high,
            slots=slots,
            outlines=outlines,
            outlined=Table(("block",), np.arange(blocks)),
            labelled=tuple(names) if few else (),
            go=self.at,
        )  # fmt: skip

    def layer(self, at: int, way: int, kind: str) -> Chosen:
        """Return the layer of cells that are read, or written."""
        each = (unit[way][at] for unit in self.data.threads.touched)
        return Chosen("who", tuple(self.pattern(columns, kind) for columns in each))

    def pattern(self, columns: CellColumns, kind: str) -> Pattern:
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
        wide, _ = self.sides(at)
        writer = touched.writer.reshape(-1)
        looks = self.own.hues("belongs")
        ground = np.where(writer < 0, self.own.look("untouched"),
                          looks[hue_of(np.maximum(writer, 0), data.grid)])  # fmt: skip
        reads, writes = data.threads.reads[at], data.threads.writes[at]
        layers = (self.layer(at, 2, "read"), self.layer(at, 0, "reads"),
                  self.layer(at, 1, "runs"))  # fmt: skip
        size = self.scale[at]
        words: Any = None
        values = touched.array.values
        if values is not None and 0 < 6.02 * self.letters[at] < size[0] - 4:
            words = self.own.values(values.reshape(-1))
        if words is not None and count > _FEW:
            words = Masked(words, layers)
        mine = np.where(writes.pattern > 0, writes.first, -1)
        seen = np.where(mine >= 0, mine, np.where(reads.pattern > 0, reads.first, 0))
        axes = " × ".join(map(number, shape)) + " cells" * (len(shape) == 1)
        said, owner = self.said(at)
        return Cells(
            name=f"array{at}",
            title=shortened(touched.array.name, 30),
            note=self.each_group(lambda unit, each: self.note(axes, at, unit, each)),
            count=count,
            columns=wide,
            size=size,
            looks=(ground, *layers),
            words=words,
            blank=True,
            ring=self.touching(at),
            most=_MOST_ROWS,
            high=self.high if at == self.drawn[0] else 0,
            center=self.touching(at, seen)
            if max(self.sides(at)) > _MOST_ROWS
            else self.table(seen),
            labels="cell" if len(shape) == 1 else "both",
            go=Owners(owner, self.at),
            tip=(shortened(touched.array.name, 20), shape),
            said=said,
            tag="" if data.kinds[at] == WRITTEN else self.turns,
            **self.outlines(writer, wide),
        )  # fmt: skip

    @cached_property
    def turns(self) -> Latest:
        """Return the counter of the loop in which an access is."""
        return self.latest(self.own.texts(self.data.order.turns))

    def outlines(self, writer: Numbers, wide: int) -> dict[str, Any]:
        """Return boxes around what blocks wrote, where each wrote a whole one."""
        boxes, of = list[Any](), np.full(self.data.threads.blocks, -1)
        for block in np.unique(writer[writer >= 0]).tolist():
            row, column = np.divmod(np.nonzero(writer == block)[0], wide)
            size = np.ptp(row) + 1, np.ptp(column) + 1
            if len(row) == math.prod(size) > 1:
                near = block - self.data.threads.first_block
                of[near : near + 1] = len(boxes)
                hue = hue_of(block, self.data.grid)
                boxes.append([row.min(), column.min(), *size, hue])
        if not 1 < len(boxes) <= _MOST_ROWS:
            return {}
        return {"outlines": np.array(boxes), "outlined": Table(("block",), of)}

    def note(self, axes: str, at: int, unit: int, thread: int) -> str:
        parts = self.does(at, unit, thread)
        if not parts:
            return axes
        name = shortened(self.data.arrays[at].array.name, 20)
        for some in (parts, parts[-1:]):
            said = f"{axes} · the {_UNITS[unit]} {' and '.join(some)}"
            if len(said) < 48 + len(f" of {name}"):
                return said.replace(f" of {name}", "")
        return axes

    def does(self, at: int, unit: int, thread: int) -> list[str]:
        """Return what a thread, its warp or its block does to an array, in words."""
        found: dict[str, str] = {}
        ways = zip(("reads", "writes", "uses"), self.data.threads.touched[unit],
                   strict=True)  # fmt: skip
        for verb, way in ways:
            if way[at].pattern[thread] > 0:
                found.setdefault(self.spell(at, way[at], thread), verb)
        return [f"{verb} {cells}" for cells, verb in found.items()]

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
            return self.who(*self.places[one[way, cell]])

        texts = [f" is read by {by(0, cell)}, and written by {by(1, cell)}."
                 for cell in range(count)]  # fmt: skip
        return self.own.texts(texts), owner

    def answer(self, unit: int, thread: int) -> str:
        """Return which cells are read and written, in a sentence."""
        threads = self.data.threads
        who = self.who(*self.places[thread], unit)
        who = who[0].upper() + who[1:]
        fault = None if unit else self.fault_of(thread)
        if fault is not None and not fault.ended:
            return f"{who} {fault.words}."
        if self.is_left_out(unit, thread):
            return f"{who} touches more cells than this picture holds."
        reads, writes, uses = (
            [self.spell(at, columns, thread) for at, columns in enumerate(every)
             if columns.pattern[thread] > 0]
            for every in threads.touched[unit]
        )  # fmt: skip
        same = self.groups[unit] == self.groups[unit][thread] if unit else thread
        updates = bool(threads.atomic[same].any())
        reads = [each for each in reads if not updates or each not in writes]
        done = [f"reads {joined(reads)}"] if reads else []
        uses = [each for each in uses if each not in reads]
        if uses:
            done.append(f"uses {joined(uses)} from shared memory")
        if writes:
            done.append(f"{'updates' if updates else 'writes'} {joined(writes)}")
        if fault is not None:
            done.append(fault.words)
        done[1:] = [*done[1:-1], *(f"and {each}" for each in done[1:][-1:])]
        return f"{who} {', '.join(done) or 'touches no cell'}."

    def fault_of(self, thread: int) -> Fault | None:
        """Return the launch's fault, if this thread has it."""
        fault = self.data.fault
        if fault is None or (fault.block, fault.thread) != self.places[thread]:
            return None
        return fault

    def is_left_out(self, unit: int, thread: int) -> bool:
        reads, writes, _ = self.data.threads.touched[unit]
        return any(each.pattern[thread] == UNKNOWN for each in (*reads, *writes))

    def detail(self, unit: int, thread: int) -> str:
        block, inner = self.places[thread]
        if self.is_left_out(unit, thread):
            draws = f"viz.grid(launch, thread={inner}, block={block}) draws them."
            return "" if unit else draws
        if not unit and self.data.order.last[thread]:
            return "" if self.fault_of(thread) else self.stops(thread)
        every = self.data.threads.touched[unit][1]
        writes = sum(len(self.cells_of(each, thread)) for each in every)
        reads = int(self.data.threads.reuse[unit].reads[self.groups[unit][thread]])
        made = counted(reads, "read"), counted(writes, "cell")
        return f"It makes {made[0]} and writes {made[1]}."

    def whole(self, thread: int) -> tuple[int, ...]:
        """Return a thread's place in the whole grid."""
        data = self.data
        block, inner = self.places[thread]
        outer, inner = place_of(block, data.grid), place_of(inner, data.block)
        return tuple(at * size + own for at, size, own in
                     zip(outer, data.block, inner, strict=True))  # fmt: skip

    def stops(self, thread: int) -> str:
        """Return the last line of a thread that touches nothing, and its condition."""
        data, order = self.data, self.data.order
        line = int(order.last[thread])
        test = _TEST.search(data.lines[line - 1]) if line in order.shown else None
        said = test[1][test[1][0] == "(" : -1].replace("cuda.", "") if test else ""
        block, inner = self.places[thread]
        names = {name: self.whole(thread)[axis] for axis, name in order.places.items()}
        names |= data.sizes | {
            f"{what}Idx.{axis}": at
            for what, number_, extent in (("block", block, data.grid),
                                          ("thread", inner, data.block))
            for axis, at in zip("xyz", place_of(number_, extent), strict=True)
        }  # fmt: skip
        known = [f"{name} = {names[name]}" for name in
                 dict.fromkeys(_NAME.findall(said)) if name in names]  # fmt: skip
        why = f": {said}" * bool(said) + f", with {joined(known)}" * bool(known)
        return f"Line {line} is the last that it runs{why}."

    def latest(self, value: Numbers, before: Any = -1) -> Latest:
        """Return the numbers that each access has."""
        order = self.data.order
        return Latest("access", order.thread, order.index, value, before,
                      stride=0, by=self.at.by)  # fmt: skip

    def touching(self, at: int, before: Numbers | None = None) -> Latest:
        """Return the cell of an array that an access touches.

        Args:
            at: Number of the array.
            before: Of each thread, until it touches one; then accesses that touch none
                have the cell that was touched last. None: these have no cell.
        """
        order = self.data.order
        cell = np.where(order.array == at, order.cell, -1).max(axis=1, initial=-1)
        if before is None:
            return self.latest(cell)
        row = cell >= 0
        return replace(self.latest(cell[row], before), key=order.thread[row],
                       index=order.index[row])  # fmt: skip

    def accesses(self) -> tuple[Any, ...]:
        """Return what the access in focus touches, and the sum after it."""
        data, order, own = self.data, self.data.order, self.own
        if not len(order.thread):
            return ()
        threads, slots = len(self.places), order.cell.shape[1]
        words = np.append(own.texts(order.words), -1)
        known, inverse = np.unique(
            np.stack([order.array, order.cell, order.kind]).reshape(3, -1), axis=1,
            return_inverse=True,
        )  # fmt: skip
        said = [
            f"{VERBS[kind]} {shortened(data.arrays[at].array.name, 9)}"
            f"{data.arrays[at].array.spelled(cell)[len(data.arrays[at].array.name) :]}"
            if kind in VERBS else "" for at, cell, kind in known.T.tolist()
        ]  # fmt: skip
        # Few words are kept of `reads a[3, 5]`: those before the last blank, and after.
        halves = zip(*(each.rpartition(" ")[::2] for each in said), strict=True)
        captions = [own.texts(each)[inverse].reshape(order.cell.shape)
                    for each in halves]  # fmt: skip
        two = (order.kind == READ).sum(axis=1) == 2
        rows = np.nonzero((order.value[:, -1] >= 0) & two)[0]
        if len(rows):  # the caption of a product: `3 × 4 =`
            factors = np.argsort(order.kind[rows] != READ, axis=1, kind="stable")[:, :2]
            first, second = np.take_along_axis(order.value[rows], factors, 1).T
            captions[0][rows, -1] = words[first]
            times = own.texts([f"× {each} =" for each in order.words])
            captions[1][rows, -1] = times[second]
        key = (np.arange(slots)[:, None] * threads + order.thread).reshape(-1)
        index = np.tile(order.index, slots)
        *touched, values = (
            Latest("access", key, index, each.T.reshape(-1), stride=threads,
                   by=self.at.by)
            for each in (*captions, words[order.value])
        )  # fmt: skip
        kinds = [(order.kind == kind).sum(axis=1) for kind in VERBS]
        made, at = np.unique([order.line, *kinds], axis=1, return_inverse=True)
        notes = own.texts([
            f"line {line} " * (line > 0) + joined([
                f"{verb} {counted(many, 'cell')}"
                for verb, many in zip(VERBS.values(), counts, strict=True) if many
            ]) for line, *counts in made.T.tolist()
        ])  # fmt: skip
        titles = own.texts([
            f"Access {{access}} of {many}" * (many > 0) for many in order.count.tolist()
        ])  # fmt: skip
        marks: list[Any] = [Cells(
            "accesses", self.table(titles),
            self.latest(notes[at.reshape(-1)]), slots, 0, (152, 46), words=values,
            captions=tuple(touched),
        )]  # fmt: skip
        if order.sums:
            names, ends, found, shares = zip(*order.sums, strict=True)
            many = np.repeat(np.arange(len(names)), list(map(len, ends)))
            at = np.concatenate(ends)
            so_far = Latest("access", many * threads + order.thread[at],
                            order.index[at], words[np.concatenate(found)],
                            stride=threads, by=self.at.by)  # fmt: skip
            marks.append(Cells(
                "sums", "", "", len(names), 0, (152, 46), words=so_far,
                shares=replace(so_far, value=np.concatenate(shares)),
                captions=(own.texts(names),), changes="access",
            ))  # fmt: skip
        return tuple(marks)

    def code(self) -> tuple[Code, ...]:
        """Return the code with the line of the access, or where the thread stopped."""
        data, order, shown = self.data, self.data.order, self.data.order.shown
        if not shown:
            return ()
        texts = texts_of(data.lines, shown)
        fault = data.fault.line if data.fault else 0
        wrong = np.where(np.array(shown) == fault, self.own.look("wrong"), -1)
        place = np.full(shown[-1] + 2, -1)
        place[shown] = np.arange(len(shown))
        at, last = (np.where(np.isin(lines, shown), lines, -1)
                    for lines in (order.line, order.last))  # fmt: skip
        blocks = data.threads.first_block + np.arange(data.threads.blocks)
        said = self.own.texts(["the line at which the thread stops",
                               "the line that touches it now"])  # fmt: skip
        return (Code(
            "Why this cell?", self.table(said[np.minimum(order.count, 1)]),
            tuple(shown), tuple(texts), comment_of(texts),
            active=self.latest(place[at], place[last]),
            who=Table(("block",), hue_of(blocks, data.grid)), wrong=wrong,
        ),)  # fmt: skip

    @cached_property
    def letters(self) -> dict[int, int]:
        """Of the longest value of each array; 0 where values are not drawn."""
        found = {}
        for at in self.drawn:
            values = self.data.arrays[at].array.values
            drawn = values is not None and values.size <= _MANY
            words = []
            if values is not None and drawn and values.dtype.kind in "biuf":
                words = [
                    self.own.all[each]
                    for each in np.unique(self.own.values(values.reshape(-1))).tolist()
                ]
            found[at] = max(map(len, words), default=0)
        return found

    @cached_property
    def scale(self) -> dict[int, tuple[float, float]]:
        """Sizes of cells: one for all matrices."""
        shapes = {at: self.data.arrays[at].array.shape for at in self.drawn}
        rooms = {}
        for at, shape in shapes.items():
            wide, rows = self.sides(at)
            labels = rows - 1 if len(shape) > 1 else math.prod(shape)
            room = _ROOM + 8 - 6.1 * len(str(labels))
            rooms[at] = math.floor(10 * room / min(wide, _MOST_ROWS)) / 10
        wanted = {at: 7.0 * self.letters[at] + 6 for at in shapes}
        matrices = [at for at, shape in shapes.items() if len(shape) > 1]
        rooms |= dict.fromkeys(matrices, min((rooms[at] for at in matrices), default=0))
        wanted |= dict.fromkeys(
            matrices, max((wanted[at] for at in matrices), default=0)
        )
        return {
            at: (max(wanted[at], min(_CELL, room)) if wanted[at] <= room
                 else min(_CELL, room), min(_CELL, room))
            for at, room in rooms.items()
        }  # fmt: skip

    def sides(self, at: int) -> tuple[int, int]:
        """Return how wide an array is drawn, and how many rows it has then."""
        shape = self.data.arrays[at].array.shape
        count, letters = math.prod(shape), self.letters[at]
        flat = _FLAT >> (letters > 2) + (letters > 5)
        wide = shape[-1] if len(shape) > 1 else min(count, flat)
        return wide, -(-count // wide)

    @cached_property
    def high(self) -> float:
        """Height of rows of the grid and of the array beside it: the larger one."""
        if not self.guides:
            return 0
        own = [self.laid[-1] * self.laid[-2]]
        for at in self.drawn[:1]:
            own.append(min(self.sides(at)[1], _MOST_ROWS) * self.scale[at][1])
        return 16 + max(own)

    @cached_property
    def guides(self) -> tuple[Guide, ...]:
        """Return arrows from the row and the column that are read to the result."""
        kinds, threads, found = self.data.kinds, self.data.threads, []
        ends = [at for at in self.drawn if kinds[at] == WRITTEN]
        for at in self.drawn:
            if len(ends) == 1 and kinds[at] in (ROW, COLUMN):
                start, end = threads.reads[at], threads.writes[ends[0]]
                down = int(kinds[at] == COLUMN)
                line, own = (
                    divmod(columns.first, self.sides(each)[0])[down]
                    for columns, each in ((start, at), (end, ends[0]))
                )
                there = (line == own) & (start.pattern > 0) & (end.pattern > 0)
                cell = self.table(np.where(there, end.first, -1))
                found.append(Guide(f"array{at}", f"array{ends[0]}", cell, down > 0))
        return tuple(found)

    def sums(self) -> Cells:
        """Return the thread's place in the whole grid, as kernels compute it."""
        data = self.data
        named = data.order.places
        axes = [
            at
            for at in range(3)
            if at in (0, *named) or data.grid[at] * data.block[at] > 1
        ]
        texts = []
        for thread, (block, inner) in enumerate(self.places):
            outer, own = place_of(block, data.grid), place_of(inner, data.block)
            for at in axes:
                whole = f"{own[at]} = {self.whole(thread)[at]}"
                texts.append(f"{outer[at]} × {data.block[at]} + {whole}")
        names = [
            named.get(at, f"{axis} in the grid")
            + f" = blockIdx.{axis} × blockDim.{axis} + threadIdx.{axis}"
            for at in axes for axis in "xyz"[at]
        ]  # fmt: skip
        return Cells(
            "place", "", "", len(axes), 0, (300, 46), captions=(self.own.texts(names),),
            words=self.table(self.own.texts(texts).reshape(-1, len(axes))),
        )  # fmt: skip

    def reuse(self) -> Bars:
        threads = self.data.threads
        groups = *self.groups, 0 * self.groups[0]
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
            (*_WHO, "the grid"),
            (words(reads, 1), words(cells, 1), words(often, 10)), self.table(often),
        )  # fmt: skip


def is_at_fault(data: GridData) -> bool:
    """Is the focused thread the one in which something went wrong?"""
    at = number_at(data.at_block, data.grid), number_at(data.at_thread, data.block)
    return data.fault is not None and at == (data.fault.block, data.fault.thread)


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
    return " ".join(filter(None, [often, reach, more]))


def _used(columns: Iterable[CellColumns]) -> bool:
    return any(each.pattern.any() for each in columns)


def _key(data: GridData, hue: int, numbered: str) -> Any:
    verb = "updates" if data.threads.atomic.any() else "writes"
    key = [("belongs", hue, f"thread of this block{numbered}, or cell it wrote")]
    if _used(data.threads.writes):
        key.append(("runs", hue, f"the thread or its group, and what it {verb}"))
    if _used(data.threads.reads):
        key.append(("reads", hue, "cell that it reads"))
    if _used(data.threads.touched[0][2]):
        key.append(("read", 0, "cell that it uses from shared memory"))
    key.append(("untouched", 0, "cell not touched"))
    key.append(("focus", 0, "focused thread and its cells"))
    if data.fault is not None:
        key.append(("wrong", 0, "finding"))
    return swatches(key)


def scene_of(data: GridData) -> Scene:
    """Return the scene of a grid's threads.

    Args:
        data: From `grid_data`.
    """
    drawn = sorted(range(len(data.arrays)), key=data.kinds.__getitem__)[:_MOST_ARRAYS]
    own = _Builder(data, drawn)
    arrays = [own.array(at) for at in drawn]
    columns = (own.grid(), *arrays[1::2]), tuple(arrays[0::2])
    panels = [Panel(marks, _ROOM + 20, gap=20, last=marks is columns[1])
              for marks in columns if marks]  # fmt: skip
    aside: tuple[Any, ...] = *own.code(), own.sums(), *own.accesses()
    if data.threads.reuse[-1].reads[0] > data.threads.reuse[-1].cells[0]:
        aside = (*aside, own.reuse())
    panels.append(Panel(aside, 310, grow=True, gap=20, apart=10))
    count = np.maximum(data.order.count, 1)
    of = own.own.texts([f"{{access}} of {many}" for many in count.tolist()])
    hue = int(hue_of(number_at(data.at_block, data.grid), data.grid))
    blocks, first = data.threads.blocks, data.threads.first_block
    return Scene(
        axes=(
            Axis("block", "", blocks, first, control=""),
            Axis("thread", "Thread", own.size, control=""),
            Axis("access", "Access", int(count.max()), 1, words=own.table(of),
                 limit=own.table(count)),
            Axis("who", "Group of threads", 3, control="choice", words=_WHO),
        ),
        panels=(*panels, *missed_cells(data.fault, own.own)),
        answer=(own.each_group(own.answer),),
        detail=(own.each_group(own.detail), _tail(data)),
        over=own.guides,
        key=_key(data, hue, own.numbered),
        words=own.own.all,
        looks=own.own.looks,
    )  # fmt: skip


def draw_grid_view(data: GridData) -> Figure:
    """Draw which cells one thread touches, and every other thread."""
    state = {
        "block": number_at(data.at_block, data.grid) - data.threads.first_block,
        "thread": number_at(data.at_thread, data.block),
        "who": 0,
    }
    thread = state["block"] * math.prod(data.block) + state["thread"]
    state["access"] = data.order.middle(thread)
    if is_at_fault(data):
        state["access"] = max(int(data.order.count[thread]) - 1, 0)
    return Figure(
        "Which cells does one thread touch?", scene_of(data), state,
        findings=int(data.fault is not None), data=data,
    )  # fmt: skip
