"""What each thread accesses, one after the other, and its variables meanwhile."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....cuda import Launch
from ....cuda.inspecting.trace import LANES
from ....cuda.inspecting.variables import typed_lanes
from ...figure.scenes import Interned
from ...traces.arrays import Array
from ...traces.launches import Accesses
from ...traces.shared_names import as_type, value_dtype
from .thread_cells import ThreadCells

_MOST, _MOST_OF_THREAD, _MOST_NAMES = 70_000, 512, 6
Ints = NDArray[Any]


@dataclass(frozen=True)
class InOrder:
    """The accesses of threads in order: rows are sorted by thread, then by index.

    An access is what a thread touches at a line: one cell of each array at most.

    Attributes:
        thread, index, line: Of each access; indices begin with 0 in each thread.
        array, cell, kind, value: (accesses, slots) what it touches, -1 for none, and
            numbers of the values' words.
        count: Of each thread.
        names: Of variables on these lines.
        key, at, set: Their values in order: the name's number * threads + thread, the
            index of the access after which it is there, and the number of its words.
        words: Of the values.
    """

    thread: Ints
    index: Ints
    line: Ints
    array: Ints
    cell: Ints
    kind: Ints
    value: Ints
    count: Ints
    names: tuple[str, ...]
    key: Ints
    at: Ints
    set: Ints
    words: list[str]

    def middle(self, thread: int) -> int:
        """Return the middle one of a thread's accesses at its busiest line."""
        mine = self.line[self.thread == thread]
        if not len(mine):
            return 0
        lines, often = np.unique(mine, return_counts=True)
        own = np.nonzero(mine == lines[often.argmax()])[0]
        return int(own[len(own) // 2])


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
    array, cell = np.full(len(every), -1), np.zeros(len(every), np.int64)
    for at, each in enumerate(arrays[:60]):
        found = each.cells_at(every.address)
        mine = (found >= 0) & (array < 0)
        array[mine], cell[mine] = at, found[mine]
    owner = (every.block - first) * size + every.thread
    rows = np.nonzero((array >= 0) & (owner >= 0) & (owner < threads))[0]
    rows = rows[np.argsort(owner[rows], kind="stable")]
    away = np.abs(np.arange(threads) // size - focus // size)
    away[focus] = -1
    different = len(np.unique(every.address[rows]))
    most = _MOST if different < _MOST // 3 else _MOST // 3
    order = np.argsort(away, kind="stable").tolist()
    rows = rows[_kept(owner[rows], threads, order, most)]
    owner, array, cell, step = owner[rows], array[rows], cell[rows], every.step[rows]
    value = np.zeros(len(rows), np.int64)
    for at in np.unique(array).tolist():
        mine = array == at
        dtype = value_dtype(arrays[at], trace, step[mine])
        value[mine] = words.values(as_type(every.value[rows[mine]], dtype))
    line = trace.line[step].astype(np.int64)
    starts = np.nonzero(_starts(owner, line, array))[0]
    group = np.searchsorted(starts, np.arange(len(rows)), side="right") - 1
    slot = np.arange(len(rows)) - starts[group]
    table = np.full((4, len(starts), int(slot.max(initial=0)) + 1), -1)
    columns = np.stack([array, cell, every.kind[rows], value])
    table[:, group, slot] = columns[:, np.lexsort((array, group))]
    thread, line = owner[starts], line[starts]
    index = np.arange(len(starts)) - np.searchsorted(thread, thread)
    ends = np.append(starts[1:], len(rows)) - 1
    used = {lines[at - 1] for at in np.unique(line).tolist() if 0 < at <= len(lines)}
    changes = _changes(launch, near, np.unique(thread // size), words)
    names, key, at_index, values = _variables(
        changes, (thread, index, line, step[starts], step[ends[: len(starts)]]),
        trace.line, threads, " ".join(used), {each.name for each in arrays},
    )  # fmt: skip
    return InOrder(
        thread, index, line, table[0], table[1], table[2], table[3],
        np.bincount(thread, minlength=threads),
        names, key, at_index, values, words.all,
    )  # fmt: skip


@dataclass(frozen=True)
class _Changes:
    """Each time a thread's variable is set, sorted by thread and row of the trace."""

    thread: Ints
    row: Ints
    name: Ints
    value: Ints
    names: tuple[str, ...]


def _changes(
    launch: Launch, near: ThreadCells, blocks: Ints, words: Interned
) -> _Changes:
    size, names = int(np.prod(launch.block)), Interned()
    parts = [np.zeros((4, 0), np.int64)]
    for block in blocks.tolist() if launch.debug else ():
        found = launch.trace.variables(near.first_block + block)
        at, lane = np.nonzero(found.written)
        inner = found.warp[at] * LANES + lane
        bits, value = found.values[at, lane], np.zeros(len(at), np.int64)
        for number, dtype in enumerate(found.dtypes):
            own = found.name[at] == number
            value[own] = words.values(typed_lanes(bits[own], dtype))
        name = names.texts(found.names)[found.name[at]] if len(at) else at
        columns = np.stack([block * size + inner, found.step[at], name, value])
        parts.append(columns[:, inner < size])
    every = np.concatenate(parts, axis=1)
    thread, row, name, value = every[:, np.lexsort(every[1::-1])]
    return _Changes(thread, row, name, value, tuple(names.all))


def _named(names: tuple[str, ...], text: str) -> list[int]:
    """Numbers of the variables that stand in a text."""
    words = set(re.findall(r"\w+", text))
    return [at for at, name in enumerate(names) if name.partition(" (")[0] in words]


def _variables(
    changes: _Changes,
    accesses: tuple[Ints, ...],
    lines: Ints,
    threads: int,
    text: str,
    arrays: set[str],
) -> tuple[tuple[str, ...], Ints, Ints, Ints]:
    """Return names, and after which accesses their values are there.

    After an access its line has set one more variable, such as a sum, but not yet one
    that stands in an index, such as the counter of the loop.

    Args:
        changes: Of the variables.
        accesses: Thread, index, line, first and last row of each.
        lines: Of the trace.
        threads: How many there are.
        text: Of the lines with accesses, whose variables are wanted.
        arrays: Names that are none.
    """
    thread, index, line, first, last = accesses
    span = len(lines) + 1
    keys = changes.thread * span + changes.row
    follows = np.append(thread[1:] == thread[:-1], False) if len(thread) else thread
    end = np.where(follows, np.append(first[1:], 0), span - 1) if len(thread) else first
    inside = " ".join(re.findall(r"\[([^\]]*)", text))
    sums = ~np.isin(changes.name, _named(changes.names, inside))
    after = np.searchsorted(keys[sums], thread * span + last)
    row = np.append(changes.row[sums], 0)[after]
    own = np.append(keys[sums], np.iinfo(np.int64).max)[after] < thread * span + end
    own &= lines[np.minimum(row, len(lines) - 1)] == line
    until = thread * span + np.where(own, row, last)
    at = np.searchsorted(until, keys)
    there = np.append(thread, -1)[at] == changes.thread
    wanted = [each for each in _named(changes.names, text)
              if changes.names[each] not in arrays][:_MOST_NAMES]  # fmt: skip
    place = np.full(len(changes.names) + 1, -1)
    place[wanted] = np.arange(len(wanted))
    there &= place[changes.name] >= 0
    key = place[changes.name[there]] * threads + changes.thread[there]
    index, value = index[at[there]], changes.value[there]
    order = np.lexsort((index, key))
    key, index, value = key[order], index[order], value[order]
    latest = np.ones(len(key), bool)
    latest[:-1] = (np.diff(key) != 0) | (np.diff(index) != 0)
    names = tuple(changes.names[each] for each in wanted)
    return names, key[latest], index[latest], value[latest]
