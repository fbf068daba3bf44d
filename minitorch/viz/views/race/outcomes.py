"""What a racy launch leaves in each order, and with a barrier: it is run again.

On the emulator, with copies of its arguments; only where it is small.
"""

from __future__ import annotations

import itertools
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .... import _core
from ....cuda import CudaError, Launch, RawModule, inspect, is_emulated
from ....cuda import synchronize as wait
from ....cuda.inspecting.accesses import READ, SHARED, WRITE, accesses_of
from ....cuda.launching.arguments import Argument
from ....cuda.launching.launch_notes import OPEN
from ....cuda.python_kernels.kernel_registry import kernel_of
from ....cuda.python_kernels.launch_process import on_device
from ...scene.drawing import number, shortened
from ...traces.launches import Place, cell_words, number_at
from ...traces.steps import lanes_in

_MOST_STEPS, _MOST_BYTES = 100_000, 16 << 20
_ENTRY = re.compile(r"\.entry\s+([\w$]+)")
# What a new module would not have as the program left it, and what people would see.
_HELD = re.compile(
    r"^\s*\.(visible|extern|weak)\s+\.(global|const)\b|\bvprintf\b", re.M
)
# Each thread becomes a block of its own, at its place in the order.
_PLACE = re.compile(r"mov\.u32\s+(%\w+),\s*%(tid|ntid|ctaid|nctaid)\.x;")
_TURN = (
    "{{ .reg .b32 %mt_at, %mt_to; .reg .pred %mt_is; mov.u32 %mt_at, %ctaid.x; "
    "mov.u32 %mt_to, %mt_at; {swap} {op}.u32 {to}, %mt_to, {threads}; }}"
)
_SWAP = "setp.eq.u32 %mt_is, %mt_at, {}; selp.b32 %mt_to, {}, %mt_to, %mt_is; "
_NUMBER = re.compile(r"%n?(tid|ctaid)\.")
# What threads do together.
_TOGETHER = re.compile(
    r"\bbar(rier)?\.|\.shared\b|\b(shfl|vote|match|redux|activemask)\b|"
    r"%(laneid|lanemask|n?warpid|clock|globaltimer)"
)
# One read of one thread gives another value.
_LOAD = re.compile(r"\s*ld\.[\w.]*?\.[bfsu](32|64)\s+(%\w+)\s*,")
_COUNT = ".reg .b32 %mt_count, %mt_at; .reg .pred %mt_is; mov.u32 %mt_count, 0; "
_SEEN = (
    "add.u32 %mt_count, %mt_count, 1; setp.eq.u32 %mt_is, %mt_count, {times}; "
    "@%mt_is mov.b{value};"
)
_MOST_THREADS = 1024
Left = list[NDArray[Any]]


@dataclass(frozen=True)
class Result:
    """What a cell of global memory holds in the end, and whether that is right.

    Attributes:
        cell, value, right: The cell, what it holds, and whether it should; "" for a
            cell where the end is not known.
        uses: What the writer of the race and the other thread read and write; () where
            that is as in this run.
    """

    cell: str = ""
    value: str = ""
    right: bool = False
    uses: tuple[str, ...] = ()


def _ptx_of(launch: Launch, arrays: list[Argument]) -> str:
    """Return what ran; "" where it cannot run again.

    Parts of it are not known, or it is large, or somebody is recording launches.
    """
    note = launch._note
    small = len(launch.trace) <= _MOST_STEPS and not launch.trace.truncated
    if note is None or OPEN or not small or not is_emulated():
        return ""
    kept = [each.before for each in arrays if each.before is not None]
    if len(kept) < len(arrays) or sum(each.nbytes for each in kept) > _MOST_BYTES:
        return ""
    spans = sorted({
        (each.pointer, each.pointer + before.nbytes)
        for each, before in zip(arrays, kept, strict=True)
    })  # fmt: skip
    overlap = any(one[1] > other[0] for one, other in itertools.pairwise(spans))
    ptx = note.launched.ptx()
    return "" if overlap or _HELD.search(ptx) else ptx


def _host(value: Any, given: Iterator[Argument], kept: dict[int, Any]) -> Any:
    """Return an argument, with what arrays held before."""
    if isinstance(value, tuple):
        items = [_host(each, given, kept) for each in value]
        return getattr(type(value), "_make", tuple)(items)
    argument = next(given)
    if not argument.is_array:
        return argument.value
    return kept.setdefault(argument.pointer, np.array(argument.before, order="K"))


class Outcomes:
    """What a launch leaves in the end, in the orders of each of its races.

    Args:
        launch: With a trace.
    """

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self._arrays = [each for each in launch.arguments if each.is_array]
        self._ptx = _ptx_of(launch, self._arrays)
        self._now = cache(lambda: self._left(self._ptx))
        self._every = accesses_of(launch.trace)
        self._with_barrier = cache(self._find_barrier)

    def of(self, data: Any, address: int, alone: bool = True) -> dict[str, Result]:
        """Return the orders whose end is known, and that end.

        An order is right if it leaves what the barrier leaves; where no barrier helps,
        what threads leave that run one after the other.

        Args:
            data: Of a race.
            address: Of its cell.
            alone: Whether to run what differs for each of the cells that race alike.
        """
        if not self._ptx or not data.first:
            return {}
        if data.updates:
            return self._in_turn(data, address) if alone else {}
        early, late = data.in_order
        overtakes = alone and data.first == data.early and data.other.kind == "reads"
        fixed = now = self._now()
        if data.is_ordered:
            fixed = self._with_barrier(early.step, late.step, data.rounds)
        elif not overtakes or not self._reads_first():
            return {}
        if fixed is None or now is None:
            return {}
        left = {data.early: fixed, "right": fixed, data.first: now}
        left |= {"barrier": fixed} if data.is_ordered else {}
        overtaken = self._overtaken(data, address) if overtakes else None
        if overtaken is not None:
            left["other" if data.first == "writer" else "writer"] = overtaken
        return self._told(left, data.array)

    def _in_turn(self, data: Any, address: int) -> dict[str, Result]:
        """Return what this run leaves, and threads that run one after the other.

        {} where these depend on who is first.
        """
        grid, block, sides = self._launch.grid, self._launch.block, data.sides
        threads = [number_at(each.block, grid) * block[0] + each.thread[0]
                   for each in sides]  # fmt: skip
        line = data.writer.line
        ways, now = {"writer": 1, "other": -1}, self._now()
        runs = {order: ran for order, way in ways.items()
                if (ran := self._in_order(*threads[::way]))}  # fmt: skip
        if now is None or len(runs) < len(ways):
            return {}
        left = {order: ran[0] for order, ran in runs.items()}
        if any(_differ(*each).any() for each in zip(*left.values(), strict=True)):
            return {}
        left |= {"right": left["writer"], data.first: now}
        found = self._told(left, data.array, address)
        if not found:
            return {}
        uses = {order: self._uses(runs[order][1], sorted(threads), address, line)[::way]
                for order, way in ways.items()}  # fmt: skip
        alone = uses["writer"][0], uses["other"][1]  # what each does if it is first
        uses["once"] = list(alone) if alone[0][:1] == alone[1][:1] else []
        return {order: replace(found.get(order, Result()), uses=sum(each, ()))
                for order, each in uses.items()}  # fmt: skip

    def _in_order(self, ahead: int, behind: int) -> tuple[Left, Launch] | None:
        """Return what is left where each thread runs only after the one before it.

        Args:
            ahead, behind: Numbers of two threads in the grid, which may take each
                other's place to run in this order.
        """
        (blocks, *rows), (threads, *more) = self._launch.grid, self._launch.block
        ptx, every = self._ptx, blocks * threads
        if (
            {*rows, *more} != {1}
            or every > _MOST_THREADS
            or _TOGETHER.search(ptx)
            or len(_PLACE.findall(ptx)) != len(_NUMBER.findall(ptx))
        ):
            return None
        swap = (_SWAP.format(ahead, behind) + _SWAP.format(behind, ahead)) * (
            ahead > behind
        )

        def placed(at: re.Match[str]) -> str:
            to, name = at[1], at[2]
            if name.startswith("n"):
                return f"mov.u32 {to}, {threads if name == 'ntid' else blocks};"
            op = "rem" if name == "tid" else "div"
            return _TURN.format(swap=swap, op=op, to=to, threads=threads)

        ran = self._run(_PLACE.sub(placed, ptx), True, ((every, 1, 1), (1, 1, 1)))
        in_turn = ran is not None and not (np.diff(ran[1].trace.block) < 0).any()
        return ran if in_turn else None

    def _uses(
        self, launch: Launch, blocks: list[int], address: int, line: int
    ) -> list[tuple[str, ...]]:
        """Return what two threads read from a cell, and write to it on a line.

        Args:
            launch: In which each thread is a block.
            blocks: The two threads, the first one first.
            address, line: Of the cell in this launch, and of the code.
        """
        every, found = accesses_of(launch.trace), []
        dtype = np.asarray(self._arrays[self._cell(address)[0]].before).dtype
        for block in blocks:
            mine = every.where(every.block == block)
            writes = (launch.trace.line[mine.step] == line) & (mine.kind == WRITE)
            near = np.isin(mine.address, mine.address[writes][:1])
            values = (mine.value[near & (mine.kind == kind)].view(dtype)[:1].tolist()
                      for kind in (READ, WRITE))  # fmt: skip
            found.append(tuple("".join(map(number, each)) for each in values))
        return found

    def _cell(self, address: int) -> tuple[int, int]:
        """Return the number of the array that has an address, and of its cell there."""
        for at, each in enumerate(self._arrays):
            old = np.asarray(each.before)
            if 0 <= address - each.pointer < old.nbytes:
                return at, (address - each.pointer) // old.itemsize
        return -1, 0

    def _run(
        self, ptx: str, trace: bool = False, extent: tuple[Place, Place] | None = None
    ) -> tuple[Left, Launch] | None:
        """Return what the arrays hold after a run, and the launch; None: it failed.

        Args:
            ptx: Of the kernel.
            trace: Whether to record it.
            extent: Grid and block; None: as they were.
        """
        note = self._launch._note
        assert note is not None
        kept: dict[int, Any] = {}
        known: dict[int, Any] = {}
        wait()  # a fault of an earlier launch is no fault of this one
        try:
            given = iter(self._launch.arguments)
            values = _host(tuple(note.launched.values), given, kept)
            with warnings.catch_warnings(), inspect(counters=False, trace=trace) as run:
                warnings.simplefilter("ignore")
                self._start(ptx, on_device(values, known), extent)
            left = [known[id(kept[each.pointer])] for each in self._arrays]
            return [each.copy_to_host() for each in left], run.launches[-1]
        except (CudaError, TypeError, ValueError, StopIteration, IndexError):
            return None

    def _left(self, ptx: str) -> Left | None:
        ran = self._run(ptx)
        return ran[0] if ran else None

    def _start(self, ptx: str, values: tuple[Any, ...], extent: Any) -> None:
        grid, block = extent or (self._launch.grid, self._launch.block)
        launch, note = self._launch, self._launch._note
        assert note is not None
        names, shared = _ENTRY.findall(ptx), launch._facts["dynamic_shared"]
        entry = names[0] if len(names) == 1 else str(launch.trace.function[0])
        kernel = RawModule(ptx=ptx).get_function(entry)
        owner = kernel_of(note.launched.owner) if note.launched.owner else None
        if owner is None:
            kernel(grid, block, values, shared)
            return
        layout = owner.layout
        rows = layout.rows(list(note.launched.names))
        packed = _core.PackedKernel(kernel._core, rows, owner.number)
        config = _core.LaunchConfig(grid, block, shared, None)
        packed.launch(config, layout.pack(list(values)))

    def _find_barrier(self, early: int, late: int, rounds: bool) -> Left | None:
        """Return what is left with a barrier between two rows of the trace.

        Args:
            early, late: The rows.
            rounds: Whether they are of one line: then also with one after each round.
        """
        tries = [{each} for each in self._places(early, late)]
        if rounds:  # the compiler may have written the rounds one below the other
            trace = self._launch.trace
            alike = trace.line == trace.line[early]
            (alike,) = np.nonzero(alike & (trace.opcode == trace.opcode[early]))
            code = trace.columns["instruction"][alike]
            rows = alike[np.unique(code, return_index=True)[1]].tolist()
            tries.append({each for row in rows for each in self._places(row, row)[:1]})
        for places in tries:
            lines = self._ptx.split("\n")
            for line, after in sorted(places, reverse=True):
                lines.insert(line - (not after), "bar.sync 0;")
            ran = self._run("\n".join(lines))
            if ran and not any(each.severity == "error" for each in ran[1].findings):
                return ran[0]
        return None

    def _places(self, early: int, late: int) -> list[tuple[int, bool]]:
        """Return PTX lines that all threads run together, and whether behind them."""
        trace = self._launch.trace
        code = trace.columns["instruction"].astype(np.int64)
        lines = np.array([each[4] for each in trace._instructions])
        first, last = lines[code[[early, late]]]
        whole = lanes_in(int(np.prod(self._launch.block)))
        warp = trace.block.astype(np.int64) * len(whole) + trace.warp
        warps = np.bincount(np.unique(code << 32 | warp) >> 32)
        together = np.nonzero(warps == len(np.unique(warp)))[0]
        alone = code[trace.mask != whole[trace.warp]]
        own = np.unique(lines[np.setdiff1d(together, alone)])
        later = own[(own > first) & ((own <= last) | (last <= first))]
        found = [(int(first), True)] * (first in own)
        return [*found, *((line, False) for line in later.tolist())][:2]

    def _overtaken(self, data: Any, address: int) -> Left | None:
        """Return what is left if the late thread overtakes the early one.

        The reader reads what the other order gives it; all else is as in this run.
        """
        every, reader, trace = self._every, data.other, self._launch.trace
        at = number_at(reader.block, self._launch.grid)
        used = (every.address == address) & (every.kind != READ)
        used &= (every.block == at) | (every.space != SHARED)
        used &= every.step < data.writer.step + (data.first == "other")
        value = int(every.value[used][-1]) if used.any() else 0
        code, lines = trace.columns["instruction"], self._ptx.split("\n")
        row = trace._instructions[int(code[reader.step])][4]
        load = _LOAD.match(lines[row - 1])
        # The emulator reads 0 where nobody has written, which shows as wrong if not 0.
        shows = data.space == "shared" and data.writer.value != "0"
        if not load or not (used.any() or shows):
            return None
        mine = (every.block == at) & (code[every.step] == code[reader.step])
        mine &= every.thread == number_at(reader.thread, self._launch.block)
        times = int((mine & (every.step <= reader.step)).sum())
        bits = value & ((1 << int(load[1])) - 1)
        words = f"{load[1]} {load[2]}, {bits:#x}"
        lines.insert(row, _SEEN.format(times=times, value=words))
        start = next(at for at, line in enumerate(lines) if line.startswith("{"))
        lines.insert(start + 1, _COUNT + "".join(
            f"mov.u32 %mt_at, %{name}.{axis}; setp.ne.u32 %mt_is, %mt_at, {where}; "
            "@%mt_is mov.u32 %mt_count, 0x80000000;"
            for name, thread in (("tid", reader.thread), ("ctaid", reader.block))
            for axis, where in zip("xyz", thread, strict=True)
        ))  # fmt: skip
        return self._left("\n".join(lines))

    def _told(
        self, left: dict[str, Left], array: str, address: int = 0
    ) -> dict[str, Result]:
        """Return a cell that differs among the runs, in each of them.

        Args:
            left: By the order of each run, and what is "right".
            array: Of the finding; the cell is one of it, if it differs there.
            address: Of the cell to tell if none differs; 0: one that the launch writes.
        """
        own = sorted(enumerate(self._arrays), key=lambda each: each[1].name != array)
        ends = {
            at: {order: each[at].reshape(-1) for order, each in left.items()}
            for at, _ in own
            if left["right"][at].dtype.kind not in "cV"
        }
        every = self._every
        written = every.address[(every.kind != READ) & (every.space != SHARED)]
        cells = [
            (at, int(apart.argmax()))
            for at, runs in ends.items()
            for apart in [np.any([_differ(each, runs["right"])
                                  for each in runs.values()], 0)]
            if apart.any()
        ]  # fmt: skip
        cells += map(self._cell, [address] if address else np.unique(written)[:1])
        for at, cell in cells:
            if at in ends:
                return self._ends(ends[at], at, cell)
        return {}

    def _ends(
        self, ends: dict[str, NDArray[Any]], at: int, cell: int
    ) -> dict[str, Result]:
        """Return what a cell of an array holds after each run."""
        argument, right = self._arrays[at], ends.pop("right")[cell]
        name = shortened(argument.name or f"array {at + 1}", 12)
        name = cell_words(name, argument.shape or (1,), cell)
        return {
            order: Result(name, number(each[cell].item()),
                          not _differ(each[cell], right))
            for order, each in ends.items()
        }  # fmt: skip

    def _reads_first(self) -> bool:
        """Return whether no thread read what another one had written in this run."""
        every = self._every
        who = every.block << 32 | every.thread
        order = np.lexsort((every.step, every.address))
        reads, at = every.kind[order] == READ, np.arange(len(order))
        last = np.maximum.accumulate(np.where(reads, 0, at))  # write
        near = (every.address[order] == every.address[order][last]) & ~reads[last]
        return not (reads & near & (who[order] != who[order][last])).any()


def _differ(one: Any, other: Any) -> Any:
    """Return which values differ; NaN equals NaN."""
    return ~((one == other) | ((one != one) & (other != other)))
