"""The numbers of a reduction: what each thread combines in its first, second, … turn.

A thread that works in one round of a tree worked in all rounds before it. So its turns
are the rounds, whether barriers part them or not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....cuda import Launch, Trace
from ....cuda.inspecting.trace import LANES, lanes_of
from ...figure.scenes import Interned
from ...scene.code_view import lines_of
from ...scene.drawing import shortened
from ...traces.faults import Fault, fault_of
from ...traces.launches import READ, accesses_of, number_of, require_trace
from ..step.uses import Uses, uses_of

Numbers = NDArray[Any]
_MOST_READS = 3  # a turn that reads more is no step of a tree
_TYPES = {"f32": "<f4", "f64": "<f8", "f16": "<f2", "s32": "<i4", "s64": "<i8"}
_COMBINE = ("add", "sub", "mul", "min", "max", "and", "or", "xor", "fma", "mad", "selp")


@dataclass(frozen=True)
class Turn:
    """A thread combines values once.

    Attributes:
        row: Of the trace.
        thread: Number in the block.
        to: Column of its result: a cell, or a thread's own register.
        sources: Columns that it reads besides.
        value: Number of the result's words.
        array: What the columns are cells of; "" for registers of lanes.
    """

    row: int
    thread: int
    to: int
    sources: tuple[int, ...]
    value: int
    array: str = ""


@dataclass(frozen=True)
class Reduction:
    """The rounds of one block.

    Attributes:
        way: "shared memory", "shuffles", or both.
        block: Its number.
        threads, columns: How many there are.
        rounds: The turns of each round, by thread.
        needed: For each round, the threads whose results are used later.
        start: Numbers of the words of values before the first round; -1: none.
        words: That are counted.
        thread: In focus.
        fault: What went wrong in the launch.
    """

    way: str
    block: int
    threads: int
    columns: int
    rounds: tuple[dict[int, Turn], ...]
    needed: tuple[frozenset[int], ...]
    start: Numbers
    words: Interned
    thread: int
    fault: Fault | None


def _in_shared(name: str, mine: int, uses: Uses) -> tuple[list[Turn], dict[int, int]]:
    """Turns by a shared array: few reads, then a write of one's own cell."""
    read: dict[int, list[int]] = {}
    owned: dict[int, int] = {}
    turns: list[Turn] = []
    first: dict[int, int] = {}
    columns = (uses.row, uses.thread, uses.array, uses.cell, uses.kind, uses.value)
    for row, thread, array, cell, kind, value in zip(
        *(each.tolist() for each in columns), strict=True
    ):
        if array != mine:
            continue
        if kind == READ:
            first.setdefault(cell, value)
            read.setdefault(thread, []).append(cell)
            continue
        cells = read.pop(thread, [])
        own = cell in cells or owned.get(thread) == cell
        others = tuple(dict.fromkeys(each for each in cells if each != cell))
        if others and own and len(cells) <= _MOST_READS:
            turns.append(Turn(row, thread, cell, others, value, name))
        else:
            first[cell] = value
        owned[thread] = cell
    return turns, first


def _typed(bits: Numbers, opcode: str) -> Numbers:
    kind = next((_TYPES[each] for each in opcode.split(".") if each in _TYPES), "<u4")
    width = int(kind[-1])
    raw = np.ascontiguousarray(bits.astype("<u8")).view(np.uint8).reshape(-1, 8)
    return np.ascontiguousarray(raw[:, :width]).view(kind).reshape(-1)


class _Shuffles:
    """Follows the registers of a block's warps from a shuffle to what it is used in."""

    def __init__(self, launch: Launch, block: int, words: Interned) -> None:
        self.trace: Trace = launch.trace
        self.ptx, self.words = launch.ptx.splitlines(), words
        self.turns: list[Turn] = []
        self.first: dict[int, int] = {}
        self._known: dict[tuple[int, str], Numbers] = {}
        self._open: dict[int, tuple[set[str], Numbers, Numbers]] = {}
        if not any("shfl" in each for each in set(self.trace.opcode.tolist())):
            return
        columns, names = self.trace.columns, self.trace.register_names
        rows = np.nonzero(self.trace.block == block)[0]
        starts = np.searchsorted(columns["result_step"], [rows, rows + 1])
        for row, low, high in zip(rows.tolist(), *starts.tolist(), strict=True):
            results = {
                names[columns["result_register"][at]]: columns["result_value"][at]
                for at in range(low, high)
            }
            self._step(row, results)

    def _step(self, row: int, results: dict[str, Numbers]) -> None:
        trace = self.trace
        warp, opcode = int(trace.warp[row]), str(trace.opcode[row])
        lanes = lanes_of(trace.mask[row])
        line = self.ptx[trace.ptx_lines[trace.columns["instruction"][row]] - 1]
        operands = re.findall(r"%\w+|-?\b\d+\b", line.partition(opcode)[2])
        names, source, value = self._open.get(warp, (set(), lanes, lanes))
        if opcode.startswith("shfl"):
            self._open[warp] = self._shuffle(warp, opcode, line, lanes)
        elif names & set(operands[1:]):
            if opcode.startswith(_COMBINE):
                del self._open[warp]
                now = self.words.values(_typed(results[operands[0]], opcode))
                old = self.words.values(_typed(value, opcode))
                self._add(row, warp, np.nonzero(lanes)[0], source, now, old)
            else:
                names.add(operands[0])
        for name, own in results.items():
            known = self._known.get((warp, name), np.zeros(LANES, np.uint64))
            self._known[warp, name] = np.where(lanes, own, known)

    def _shuffle(
        self, warp: int, opcode: str, line: str, lanes: Numbers
    ) -> tuple[set[str], Numbers, Numbers]:
        """Return the names of what lanes get, from which lane, and what they sent."""
        to, *rest = (each.strip(" ;\t") for each in line.split(opcode)[1].split(","))
        away = self._known.get((warp, rest[1]))
        by = int(rest[1]) if away is None else away.astype(np.int64)
        lane = np.arange(LANES)
        mode = opcode.split(".")[2]
        source = {"down": lane + by, "up": lane - by, "bfly": lane ^ by}.get(mode, by)
        inside = (source >= 0) & (source < LANES)
        sent = self._known.get((warp, rest[0]), np.zeros(LANES, np.uint64))
        return {to.partition("|")[0]}, np.where(inside, source, lane) + lane * 0, sent

    def _add(self, row: int, warp: int, lanes: Numbers, source: Numbers, now: Numbers,
             old: Numbers) -> None:  # fmt: skip
        for lane in lanes.tolist():
            thread = warp * LANES + lane
            others = () if source[lane] == lane else (warp * LANES + int(source[lane]),)
            self.turns.append(Turn(row, thread, thread, others, int(now[lane])))
            self.first.setdefault(thread, int(old[lane]))


def _needed(rounds: list[dict[int, Turn]], uses: Uses) -> list[frozenset[int]]:
    """Whose result of each round is used: by later rounds, or written at the end."""
    last = {thread: turn.row for each in rounds for thread, turn in each.items()}
    wrote = {thread for row, thread, kind in zip(
        uses.row.tolist(), uses.thread.tolist(), uses.kind.tolist(), strict=True
    ) if kind != READ and row >= last.get(thread, row + 1)}  # fmt: skip
    owner = {turn.to: thread for each in rounds for thread, turn in each.items()}
    needed = wrote or set(rounds[-1])
    found = []
    for each in reversed(rounds):
        found.append(frozenset(needed & set(each)))
        used = {at for thread in needed & set(each) for at in each[thread].sources}
        needed = needed | {owner.get(at, at) for at in used}
    return found[::-1]


def reduction_data(launch: Any, block: Any = None, thread: Any = None) -> Reduction:
    """Find the rounds of a block.

    Args:
        launch: With a trace.
        block: Its number, or (x, y, z); None: the first that has rounds.
        thread: In focus: its number in the block, or (x, y, z).

    Raises:
        ValueError: No trace, or no rounds.
        IndexError: No such block or thread.
        TypeError: Not a launch.
    """
    trace, fault = require_trace(launch, "reduction"), fault_of(launch)
    at = fault.block if fault else int(trace.block[0])
    if block is not None:
        at = number_of(block, launch.grid, "block", "reduction")
    focus = None
    if thread is not None:
        focus = number_of(thread, launch.block, "thread", "reduction")
    words = Interned()
    lines = lines_of(None, launch.source_file, launch.source)
    arrays, uses = uses_of(launch, accesses_of(trace), at, lines, words)
    found = [_in_shared(each.name, number, uses)
             for number, each in enumerate(arrays) if each.shared]  # fmt: skip
    turns, first = max(found, key=lambda each: len(each[0]), default=([], {}))
    shuffles = _Shuffles(launch, at, words)
    both = sorted([*turns, *shuffles.turns], key=lambda turn: turn.row)
    rounds: list[dict[int, Turn]] = []
    taken: dict[int, int] = {}
    for turn in both:
        number = taken[turn.thread] = taken.get(turn.thread, -1) + 1
        rounds += [{}] if number == len(rounds) else []
        rounds[number][turn.thread] = turn
    if not rounds:
        raise ValueError(
            f"[viz.reduction] got block {at} of {shortened(launch.kernel)}, where no "
            "thread combines values of others; need one that does so by shared memory "
            "or shuffles."
        )
    threads = int(np.prod(launch.block))
    start = shuffles.first | (first if turns else {})
    columns = max(threads if shuffles.turns else 0, *(each + 1 for each in start))
    ways = ["shared memory"] * bool(turns) + ["shuffles"] * bool(shuffles.turns)
    return Reduction(
        way=" and ".join(ways),
        block=at,
        threads=threads,
        columns=columns,
        rounds=tuple(rounds),
        needed=tuple(_needed(rounds, uses)),
        start=np.array([start.get(column, -1) for column in range(columns)]),
        words=words,
        thread=min(rounds[-1]) if focus is None else focus,
        fault=fault,
    )
