"""What each thread accesses, one after the other, and its variables meanwhile."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....cuda import Launch
from ....cuda.inspecting.accesses import READ, WRITE, Accesses
from ....cuda.inspecting.trace import LANES, lanes_of
from ...figure.scenes import Interned
from ...scene.code_view import shown_lines
from ...scene.drawing import number
from ...traces.arrays import Array
from ...traces.shared_names import located
from .thread_cells import ThreadCells

_MOST, _MOST_OF_THREAD = 70_000, 512
_GRID = re.compile(r"([\w, ]+?) *= *(?:\w+\.)*cuda\.grid\(")
_PLACE = re.compile(r"(\w+)\s*=(?=[^=;,]*threadIdx\.([xyz]))(?=[^=;,]*blockIdx\.\2)")
# A loop that counts from 0 by 1, in C++ and in Python.
_LOOP = re.compile(
    r"\bfor\b *(?:\( *(?:\w+ +)*(\w+) *= *0 *;[^;]*; *(?:\+\+\1|\1 *\+\+) *\)|"
    r"(\w+) in range\([^,]+\) *:)"
)
_SUM = re.compile(r"(\w+) \+= \w+\[[^\]]*\]( \* \w+\[)?")
Ints = NDArray[Any]


@dataclass(frozen=True)
class InOrder:
    """The accesses of threads in order: rows are sorted by thread, then by index.

    An access is what a thread touches at a line: one cell of each array at most.

    Attributes:
        thread, index, line: Of each access; indices begin with 0 in each thread.
        array, cell, kind, value: (accesses, slots) what it touches, -1 for none, and
            numbers of the values' words; in a last slot the product of two cells.
        numbers: (accesses, slots) the values; NaN for what is none.
        count: Of each thread.
        last: Line at which each thread without an access stopped; 0: not known.
        shown: Numbers of the lines of code to draw.
        places: What the code calls a thread's place in the grid, by axis.
        sums: Of what a line adds up: a name, accesses after which there is a value,
            numbers of the values' words, and their size in percent of the largest.
        words: Of the values.
        turns: For each access the counter of its loop, as `k = 5`; "" if not known.
    """

    thread: Ints
    index: Ints
    line: Ints
    array: Ints
    cell: Ints
    kind: Ints
    value: Ints
    numbers: Ints
    count: Ints
    last: Ints
    shown: list[int]
    places: dict[int, str]
    sums: list[tuple[str, Ints, Ints, Ints]]
    words: list[str]
    turns: list[str]

    def middle(self, thread: int) -> int:
        """Return the middle one of a thread's accesses at its busiest line.

        One of those without a zero, where there is any: a product is to change a sum.
        """
        mine = self.thread == thread
        if not mine.any():
            return 0
        lines, often = np.unique(self.line[mine], return_counts=True)
        own = self.line[mine] == lines[often.argmax()]
        full = own & (self.numbers[mine] != 0).all(axis=1)
        at = np.nonzero(full if full.any() else own)[0]
        return int(at[len(at) // 2])


def place_names(text: str) -> dict[int, str]:
    """Return what a kernel calls a thread's place in the grid along x, y and z.

    Example:
        >>> place_names("column, row = cuda.grid(2)")
        {0: 'column', 1: 'row'}
        >>> place_names("int i = blockIdx.x * 8 + threadIdx.x, j = threadIdx.y;")
        {0: 'i'}
    """
    names = {"xyz".index(axis): name for name, axis in _PLACE.findall(text)}
    for found in _GRID.findall(text):
        names |= enumerate(each.strip() for each in found.split(","))
    return names


def _starts(owner: Ints, line: Ints, array: Ints) -> Ints:
    """Which rows begin an access: of another thread, line, or an array once more."""
    starts, last, seen = [], (-1, -1), 0
    for thread, at, bit in zip(
        owner.tolist(), line.tolist(), (1 << array).tolist(), strict=True
    ):
        new = (thread, at) != last or bool(seen & bit)
        starts.append(new)
        last, seen = (thread, at), bit if new else seen | bit
    return np.array(starts, bool)


def _kept(owner: Ints, threads: int, order: list[int], most: int) -> Ints:
    """Rows of threads that there is room for; `order` has the most wanted first."""
    count = np.minimum(np.bincount(owner, minlength=threads), _MOST_OF_THREAD)
    fits = np.zeros(threads, bool)
    fits[order] = np.cumsum(count[order]) <= most
    rank = np.arange(len(owner)) - np.searchsorted(owner, owner)
    return np.asarray(fits[owner] & (rank < _MOST_OF_THREAD))


def in_order(
    launch: Launch,
    every: Accesses,
    arrays: list[Array],
    near: ThreadCells,
    lines: list[str],
    focus: int,
) -> InOrder:
    """Return what threads access in order, those of the focused block first.

    Args:
        launch: With a trace.
        every: Its accesses to global memory.
        arrays: Where cells lie.
        near: Which blocks.
        lines: Of the kernel's text; empty where nobody has it.
        focus: Number of the thread among those of these blocks.
    """
    size, trace, words = int(np.prod(launch.block)), launch.trace, Interned()
    threads, first = near.blocks * size, near.first_block
    owner = (every.block - first) * size + every.thread
    near_by = (owner >= 0) & (owner < threads)
    idle = np.bincount(owner[near_by], minlength=threads) == 0
    rows = np.argsort(owner, kind="stable")
    rows = rows[near_by[rows]]
    away = np.abs(np.arange(threads) // size - focus // size)
    away[focus] = -1
    different = len(np.unique(every.address[rows]))
    most = _MOST if different < _MOST // 3 else _MOST // 3
    order = np.argsort(away, kind="stable").tolist()
    every = every.where(rows[_kept(owner[rows], threads, order, most)])
    array, cell, value, numbers = located(every, arrays, trace, words)
    known = array >= 0
    every = every.where(known)
    array, cell, value = (each[known] for each in (array, cell, value))
    numbers = numbers[known]
    owner, step = (every.block - first) * size + every.thread, every.step
    line = trace.line[step].astype(np.int64)
    starts = np.nonzero(_starts(owner, line, array))[0]
    group = np.searchsorted(starts, np.arange(len(owner)), side="right") - 1
    slot = np.arange(len(owner)) - starts[group]
    table = np.full((4, len(starts), int(slot.max(initial=0)) + 1), -1)
    columns = np.stack([array, cell, every.kind, value])
    by_array = np.lexsort((array, group))
    table[:, group, slot] = columns[:, by_array]
    whole = np.full(table.shape[1:], np.nan)
    whole[group, slot] = numbers[by_array]
    thread, line = owner[starts], line[starts]
    index = np.arange(len(starts)) - np.searchsorted(thread, thread)
    count = np.bincount(thread, minlength=threads)
    last = _stopped(launch, first, idle)
    ran = sorted({*line.tolist(), *last.tolist()} - {0})
    shown = shown_lines(lines, ran) if ran and ran[-1] <= len(lines) else []
    places = place_names("\n".join(lines[at - 1] for at in shown))
    rows, terms, name = _terms(lines, shown, line, table[2], whole)
    said = [f"{each:.3g}" if each % 1 else number(each) for each in terms]
    table = np.pad(table, ((0, 0), (0, 0), (0, 1)), constant_values=-1)
    table[3, rows, -1] = words.texts(said)
    sums = [
        (each, at, words.values(found.astype(np.float32)), share)
        for each, at, found, share in _sums(name, thread, rows, terms, table[2], whole)
    ]
    return InOrder(
        thread, index, line, table[0], table[1], table[2], table[3], whole, count,
        last, shown, places, sums, words.all,
        _turns(lines, shown, thread, line, table[0], table[1], arrays),
    )  # fmt: skip


def _stopped(launch: Launch, first: int, idle: Ints) -> Ints:
    """The last line of each thread that is idle, which touches nothing.

    Without its return, which has the line of what stands before it in the PTX.
    """
    trace, size = launch.trace, int(np.prod(launch.block))
    last, (own,) = np.zeros(len(idle), np.int64), np.nonzero(idle)
    warps = np.unique(own // size * LANES + own % size // LANES)
    of_warp = (trace.block.astype(np.int64) - first) * LANES + trace.warp
    rows = np.nonzero(np.isin(of_warp, warps) & (trace.line > 0))[0]
    rows = rows[trace.opcode[rows] != "ret"]
    row, lane = np.nonzero(lanes_of(trace.mask[rows]))
    row = rows[row]
    inner = trace.warp[row].astype(np.int64) * LANES + lane
    last[(trace.block[row].astype(np.int64) - first) * size + inner] = trace.line[row]
    return np.where(idle, last, 0)


def _turns(
    lines: list[str],
    shown: list[int],
    thread: Ints,
    line: Ints,
    array: Ints,
    cell: Ints,
    arrays: list[Array],
) -> list[str]:
    """The counter of the loop around each access, if it is an index of a cell.

    The n-th access of a line is in turn n where no turn is without one; so it is taken
    only where an index of the cell is n for every access of the thread on this line.
    """
    found = [""] * len(line)
    for at in set(line.tolist()) & set(shown):
        loops = filter(None, (_LOOP.search(lines[up - 1]) for up in shown if up <= at))
        counter = next((each[1] or each[2] for each in [*loops][::-1]), "")
        if not re.search(rf"\[[^\]]*\b{counter or ' '}\b", lines[at - 1]):
            continue
        (rows,) = np.nonzero(line == at)
        turn = np.arange(len(rows)) - np.searchsorted(thread[rows], thread[rows])
        holds = np.zeros(len(rows), bool)
        for number_, each in enumerate(arrays):
            own = np.where(array[rows] == number_, cell[rows], -1).max(axis=1)
            for index in np.unravel_index(np.maximum(own, 0), each.shape):
                wrong = (own < 0) | (index != turn)
                holds |= np.bincount(thread[rows], wrong)[thread[rows]] == 0
        for row, now in zip(rows[holds].tolist(), turn[holds].tolist(), strict=True):
            found[row] = f"{counter} = {now}"
    return found


def _terms(
    lines: list[str], shown: list[int], line: Ints, kind: Ints, numbers: Ints
) -> tuple[Ints, Ints, str]:
    """The accesses of the line that sums up cells, what they add, name of the sum."""
    reads = kind == READ
    for at in shown:
        found = _SUM.search(lines[at - 1])
        if found:
            many = 2 if found[2] else 1
            rows = np.nonzero((line == at) & (reads.sum(axis=1) == many))[0]
            return rows, numbers.prod(axis=1, where=reads)[rows], found[1]
    return np.zeros(0, int), np.zeros(0), ""


def _sums(
    name: str, thread: Ints, rows: Ints, terms: Ints, kind: Ints, numbers: Ints
) -> Iterator[tuple[str, Ints, Ints, Ints]]:
    """The sums so far, and what each thread writes in the end, if that is its sum.

    Yields a name, accesses, values, and their size in percent of the thread's largest.
    """
    begins = np.searchsorted(thread[rows], thread[rows])
    total = np.cumsum(terms)
    total += terms[begins] - total[begins]
    ends = np.append(np.diff(thread) != 0, True)
    written = np.nonzero(ends & (kind == WRITE).any(axis=1))[0]
    at_end = np.nansum(numbers, axis=1, where=kind[:, :-1] == WRITE)[written]
    last = np.searchsorted(thread[rows], thread[written], side="right") - 1
    if len(rows) and np.allclose(total[last], at_end, rtol=1e-3, atol=1e-5):
        most = np.zeros(thread[-1] + 1)
        np.maximum.at(most, thread[rows], np.abs(total))
        for each, at, sums in (
            (name, rows, total),
            ("in the end", np.searchsorted(thread, thread[written]), at_end),
        ):
            share = np.abs(sums) / np.maximum(most[thread[at]], 1e-30)
            yield each, at, sums, np.round(100 * np.minimum(share, 1)).astype(int)
