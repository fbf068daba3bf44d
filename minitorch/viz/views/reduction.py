"""The view of reductions: who works in each round of a tree, and who idles."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...cuda import Launch, Trace
from ...cuda.inspecting.accesses import READ, accesses_of
from ...cuda.inspecting.trace import LANES, lanes_of
from ..figure.figure import Figure
from ..figure.scenes import Interned, swatches
from ..scene.code_view import lines_of
from ..scene.drawing import shortened
from ..scene.phrases import counted, joined
from ..scene.scene import (
    Axis,
    Cells,
    Index,
    Match,
    Numbers,
    Owners,
    Panel,
    Rows,
    Scene,
    Table,
)
from ..traces.arrays import Array
from ..traces.fault_view import of_trace
from ..traces.faults import block_of
from ..traces.launches import require_trace
from ..traces.shared_names import as_type
from .step.uses import Uses, uses_of

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
        key: Of its round.
        array: What the columns are cells of; None for registers of lanes.
    """

    row: int
    thread: int
    to: int
    sources: tuple[int, ...]
    value: int
    key: tuple[int, ...]
    array: Array | None = None


@dataclass(frozen=True)
class Reduction:
    """The rounds of one block.

    Attributes:
        block: Its number.
        threads, columns: How many there are.
        rounds: The turns of each round, by thread.
        needed: For each round, the threads whose results are used later.
        before: For each round, what columns were given before it, by column.
        words: That are counted.
    """

    block: int
    threads: int
    columns: int
    rounds: tuple[dict[int, Turn], ...]
    needed: tuple[frozenset[int], ...]
    before: tuple[dict[int, int], ...]
    words: Interned


Key = tuple[int, ...]
Fills = list[tuple[Key, int, int]]  # before which round, column, value


def _in_shared(array: Array, mine: int, uses: Uses) -> tuple[list[Turn], Fills]:
    """Turns by a shared array: few reads, then a write of one's own cell.

    Where a thread keeps that cell in a register, the others are read by it alone; what
    all threads read, such as a maximum, is no value of a tree.
    """
    readers: dict[int, set[int]] = {}
    fresh: set[int] = set()  # cells that nobody read since they were written
    read: dict[int, list[int]] = {}
    owned: dict[int, int] = {}
    key: dict[int, Key] = {}
    turns: list[Turn] = []
    fills: Fills = []
    columns = (uses.row, uses.thread, uses.array, uses.cell, uses.kind, uses.value)
    for row, thread, used, cell, kind, value in zip(
        *(each.tolist() for each in columns), strict=True
    ):
        if used != mine:
            continue
        if kind == READ:
            read.setdefault(thread, []).append(cell)
            if cell in fresh:
                fresh.remove(cell)
                readers[cell] = set()
            readers.setdefault(cell, set()).add(thread)
            continue
        cells = read.pop(thread, [])
        others = tuple(dict.fromkeys(each for each in cells if each != cell))
        alone = all(len(readers[each]) == 1 for each in others)
        own = cell in cells or (owned.get(thread) == cell and alone)
        fresh.add(cell)
        filled, turn = key.get(thread, (0, 0))
        if others and own and len(cells) <= _MOST_READS:
            turns.append(
                Turn(row, thread, cell, others, value, (0, filled, turn), array)
            )
            key[thread] = filled, turn + 1
        else:
            key[thread] = filled + 1, 0
            fills.append(((0, filled + 1, 0), cell, value))
        owned[thread] = cell
    return turns, fills


def _typed(bits: Numbers, opcode: str) -> Numbers:
    """Return lanes' values as the type that an instruction names."""
    kind = next((_TYPES[each] for each in opcode.split(".") if each in _TYPES), "<u4")
    return as_type(bits, np.dtype(kind))


class _Shuffles:
    """Follows the registers of a block's warps from a shuffle to what it is used in."""

    def __init__(self, launch: Launch, block: int, words: Interned) -> None:
        self.trace: Trace = launch.trace
        self.ptx, self.words = launch.ptx.splitlines(), words
        self.turns: list[Turn] = []
        self.fills: Fills = []
        self._often: dict[Key, int] = {}
        self._known: dict[tuple[int, str], Numbers] = {}
        self._open: dict[int, tuple[set[str], Numbers, Numbers, Key]] = {}
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
        at = trace.ptx_lines[trace.columns["instruction"][row]]
        line = self.ptx[at - 1]
        operands = re.findall(r"%\w+|-?\b\d+\b", line.partition(opcode)[2])
        names, source, value, key = self._open.get(warp, (set(), lanes, lanes, ()))
        if opcode.startswith("shfl"):
            often = self._often[warp, at] = self._often.get((warp, at), 0) + 1
            got = self._shuffle(warp, opcode, line)
            self._open[warp] = (*got, (1, at, often))
        elif names & set(operands[1:]):
            if opcode.startswith(_COMBINE):
                del self._open[warp]
                now = self.words.values(_typed(results[operands[0]], opcode))
                old = self.words.values(_typed(value, opcode))
                for lane in np.nonzero(lanes)[0].tolist():
                    thread, other = warp * LANES + lane, int(source[lane])
                    others = () if other == lane else (warp * LANES + other,)
                    self.turns.append(
                        Turn(row, thread, thread, others, int(now[lane]), key)
                    )
                    self.fills.append((key, thread, int(old[lane])))
            else:
                names.add(operands[0])
        for name, own in results.items():
            known = self._known.get((warp, name), np.zeros(LANES, np.uint64))
            self._known[warp, name] = np.where(lanes, own, known)

    def _shuffle(
        self, warp: int, opcode: str, line: str
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


def _needed(rounds: Sequence[dict[int, Turn]], before: Sequence[dict[int, int]],
            uses: Uses) -> list[frozenset[int]]:  # fmt: skip
    """Whose result of each round a later one takes, or the thread writes somewhere."""
    wrote: dict[int, list[int]] = {}
    for row, thread, kind in zip(
        uses.row.tolist(), uses.thread.tolist(), uses.kind.tolist(), strict=True
    ):
        if kind != READ:
            wrote.setdefault(thread, []).append(row)
    taken: dict[int, int] = {}  # by the rounds after this one: thread and value
    ends: dict[int, int] = {}
    found = []
    for turns, filled in zip(reversed(rounds), reversed(before), strict=True):
        needed = {
            thread
            for thread, turn in turns.items()
            if turn.array
            or taken.get(thread) == turn.value
            or any(turn.row <= row < ends.get(thread, row + 1)
                   for row in wrote.get(thread, ()))
        }  # fmt: skip
        for thread, turn in turns.items():
            taken.pop(thread, None)
            ends[thread] = turn.row
        for thread in needed:
            for column in (thread, *turns[thread].sources):
                taken[column] = filled.get(column, -1)
        found.append(frozenset(needed))
    return found[::-1]


def reduction_data(launch: Any, block: Any = None) -> Reduction:
    """Find the rounds of a block.

    Args:
        launch: With a trace.
        block: Its number, or (x, y, z); None: where the launch failed, else the first.

    Raises:
        ValueError: No trace, or no rounds.
        IndexError: No such block.
        TypeError: Not a launch.
    """
    trace = require_trace(launch, "reduction")
    at = block_of(launch, block, "reduction")
    words = Interned()
    lines = lines_of(None, launch.source_file, launch.source)
    arrays, uses = uses_of(launch, accesses_of(trace), at, lines, words)
    found = [_in_shared(each, number, uses)
             for number, each in enumerate(arrays) if each.shared]  # fmt: skip
    turns, fills = max(found, key=lambda each: len(each[0]), default=([], []))
    shuffles = _Shuffles(launch, at, words)
    both = sorted([*turns, *shuffles.turns], key=lambda turn: turn.row)
    by_key: dict[Key, dict[int, Turn]] = {}
    for turn in both:
        by_key.setdefault(turn.key, {})[turn.thread] = turn
    rounds = tuple(by_key.values())
    before = {key: dict[int, int]() for key in by_key}
    for key, column, value in [*fills, *shuffles.fills]:
        before.get(key, {})[column] = value
    if not rounds:
        raise ValueError(
            f"[viz.reduction] no thread of block {at} of {shortened(launch.kernel)} "
            "combines values of other threads, through shared memory or shuffles."
        )
    threads = int(np.prod(launch.block))
    reached = {at for turn in both for at in (turn.to, *turn.sources)}
    columns = max(threads if shuffles.turns else 0, max(reached) + 1)
    return Reduction(
        block=at,
        threads=threads,
        columns=columns,
        rounds=rounds,
        needed=tuple(_needed(rounds, [*before.values()], uses)),
        before=tuple(before.values()),
        words=words,
    )


_FEW = 32  # columns whose values are drawn
_NUMBERED = 64  # threads, at most, whose numbers are drawn


def _spelled(turn: Turn, column: int) -> str:
    return turn.array.spelled(column) if turn.array else f"lane {column % 32}"


class _Builder:
    """What parts of the scene share."""

    def __init__(self, data: Reduction) -> None:
        self.data, self.own = data, data.words
        self.rounds, self.columns = len(data.rounds), data.columns
        self.values = np.full((self.rounds + 1, self.columns), -1)
        for at, (turns, filled) in enumerate(
            zip(data.rounds, data.before, strict=True)
        ):
            for column, value in filled.items():
                self.values[at:, column] = value
            for turn in turns.values():
                self.values[at + 1 :, turn.to] = turn.value

    def look(self, kind: str, thread: int) -> int:
        return self.own.look(kind, thread // 32)

    def value(self, row: int, column: int) -> str:
        at = int(self.values[row, column])
        return self.own.all[at] if at >= 0 else "(not known)"

    def tree(self) -> Cells:
        """A row for each round: what was combined, and what the next one uses."""
        data, columns = self.data, self.columns
        shape = (self.rounds + 1, columns)
        looks = np.full(shape, self.own.look("untouched"))
        owner = np.full(shape, -1)
        ring = np.full((self.rounds, data.threads), -1)
        start, rows = [0], []
        for at, (each, needed) in enumerate(zip(data.rounds, data.needed, strict=True)):
            for thread, turn in each.items():
                for column in (turn.to, *turn.sources):
                    rows.append(
                        (thread, at * columns + column, self.look("reads", thread))
                    )
                    if thread in needed and owner[at, column] < 0:
                        looks[at, column] = self.look("belongs", thread)
                looks[at + 1, turn.to] = self.work(at, thread)
                owner[at + 1, turn.to] = at * data.threads + thread
                ring[at, thread] = (at + 1) * columns + turn.to
            start.append(len(rows))
        found = dict(zip(("thread", "item", "look"), np.array(rows).T, strict=True))
        focus = Match(Rows("round", np.array(start), found), "item", "look",
                      by=("thread",))  # fmt: skip
        names = ["start", *map(str, range(1, self.rounds + 1))]
        longest = max(
            len(self.own.all[at]) for at in self.values.reshape(-1) if at >= 0
        )
        few = columns <= _FEW
        wide = max(min(296 / columns, 37), 6.7 * min(longest, 7) + 2, 21)
        array = next((each.array.name for turns in data.rounds
                      for each in turns.values() if each.array), "")  # fmt: skip
        return Cells(
            "tree", "Values after each round",
            f"{columns} {f'cells of {array}' if array else 'lanes'}",
            owner.size, columns,
            (wide, 22) if few else (16, 14),
            looks=(looks.reshape(-1), focus),
            words=self.values.reshape(-1) if few else None,
            ring=Table(("round", "thread"), ring), labels=self.own.texts(names),
            go=Owners(owner.reshape(-1), Index({"round": data.threads, "thread": 1})),
        )  # fmt: skip

    def work(self, at: int, thread: int) -> int:
        """The look of a thread that works."""
        used = thread in self.data.needed[at]
        return self.look("runs", thread) if used else self.own.look("bare")

    def threads(self) -> Cells:
        data = self.data
        looks = np.full((self.rounds, data.threads), self.own.look("empty"))
        for at, each in enumerate(data.rounds):
            for thread in each:
                looks[at, thread] = self.work(at, thread)
        wide = min(data.threads, 32)
        focus = Index({"thread": 1})
        few = data.threads <= _NUMBERED
        names = self.own.texts([*map(str, range(data.threads))]) if few else None
        return Cells(
            "threads", "The threads in round {round}",
            "hatched: idle; left: the first of a row", data.threads, wide,
            (30, 20) if few else (15.1, 15.1), looks=(Table(("round",), looks),),
            ring=focus, go=focus, labels="cell", words=names, fold=True,
        )  # fmt: skip

    def answer(self, at: int) -> str:
        data = self.data
        work, needed = len(data.rounds[at]), len(data.needed[at])
        combine = "combines two values" if work == 1 else "combine two values each"
        said = f"{work} of {data.threads} threads {combine}"
        if needed < work:
            said += f", and the results of {needed} are needed"
        else:
            said += f"; {data.threads - work} idle"
        return f"Round {at + 1} of {self.rounds}: {said}."

    def does(self, at: int, thread: int) -> str:
        turn = self.data.rounds[at].get(thread)
        if turn is None:
            return "Thread {thread} idles."
        sources = [f"{_spelled(turn, each)} = {self.value(at, each)}"
                   for each in (turn.to, *turn.sources)]  # fmt: skip
        vain = " Nobody uses it." * (thread not in self.data.needed[at])
        return (
            f"Thread {{thread}} combines {joined(sources)} into "
            f"{_spelled(turn, turn.to)} = {self.value(at + 1, turn.to)}.{vain}"
        )


def scene_of(data: Reduction) -> Scene:
    """Return the scene of a block's reduction.

    Args:
        data: From `reduction_data`.
    """
    own, rounds = _Builder(data), len(data.rounds)
    tree, threads = own.tree(), own.threads()
    drawn = {"focus", *(kind for kind, _ in data.words.looks)}
    meanings = (
        ("runs", "combined in this row's round, or a thread at work"),
        ("bare", "combined, but nobody uses it"),
        ("belongs", "used by the next round"),
        ("untouched", "not needed any more"),
        ("empty", "idle thread"),
        ("reads", "what the focused thread combines"),
        ("focus", "its result"),
    )
    answers = [own.answer(at) for at in range(rounds)]
    details = data.words.texts([
        own.does(at, thread) for at in range(rounds) for thread in range(data.threads)
    ])  # fmt: skip
    work = sum(map(len, data.rounds)) / rounds
    mean = (
        f"In {counted(rounds, 'round')}, {work:.3g} of {data.threads} threads work on "
        "average."
    )
    return Scene(
        axes=(
            Axis("round", "Round", rounds, 1, words="round {round}"),
            Axis("thread", "Thread", data.threads, control=""),
        ),
        words=data.words.all,
        looks=data.words.looks,
        panels=(
            Panel((tree,), min(44 + tree.columns * tree.size[0], 760)),
            Panel((threads,), 284, True, gap=36),
        ),
        answer=(data.words.table("round", answers),),
        detail=(Table(("round", "thread"), details.reshape(rounds, -1)), mean),
        key=swatches((kind, 0, words) for kind, words in meanings if kind in drawn),
    )  # fmt: skip


def reduction(launch: Any, block: Any = None) -> Figure:
    """Draw the rounds of a reduction: which thread combines which values, who idles.

    In a round, a thread combines its own value with one that it reads from shared
    memory, or gets from another lane by a shuffle. Any kernel that does so has rounds:
    sums, products, the largest of many, with neighbours or with far halves.

    Args:
        launch: Recorded with `cuda.inspect(trace=True)`.
        block: Its number, or (x, y, z); None: where the launch failed, else
            the first.

    Returns:
        A figure; its `data` holds the numbers.

    Raises:
        ValueError: No trace, or no thread combines values of others.
        IndexError: No such block.
        TypeError: Not a launch.

    Example:
        >>> import numpy as np
        >>> from minitorch import cuda, viz
        >>> total = cuda.RawKernel('''__global__ void total(float* x) {
        ...   int t = threadIdx.x;
        ...   __shared__ float s[8];
        ...   s[t] = x[t];
        ...   for (int half = 4; half > 0; half /= 2) {
        ...     __syncthreads();
        ...     if (t < half) s[t] += s[t + half];
        ...   }
        ...   if (t == 0) x[0] = s[0];
        ... }''', "total")
        >>> with cuda.inspect(trace=True) as run:
        ...     total[1, 8](cuda.to_device(np.arange(8, dtype=np.float32)))
        >>> viz.reduction(run.launches[0])
        Figure(Round 1 of 3: 4 of 8 threads combine two values each; 4 idle.)
    """
    data = reduction_data(launch, block)
    figure = Figure(
        "Who works in each round of a reduction, and who idles?",
        scene_of(data), {"round": 0, "thread": min(data.rounds[-1])}, data=data,
    )  # fmt: skip
    return of_trace(figure, launch)
