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
from ....cuda.inspecting.trace import LANES
from ....cuda.launching.arguments import Argument
from ....cuda.launching.launch_notes import OPEN
from ....cuda.python_kernels.kernel_registry import kernel_of
from ....cuda.python_kernels.launch_process import on_device
from ...scene.drawing import number, shortened
from ...traces.launches import READ, SHARED, VERBS, Place, accesses_of, number_at
from ...traces.steps import lanes_in

_MOST_STEPS, _MOST_BYTES = 100_000, 16 << 20
_ENTRY = re.compile(r"\.entry\s+([\w$]+)")
# What a new module would not have as the program left it, and what people would see.
_HELD = re.compile(
    r"^\s*\.(visible|extern|weak)\s+\.(global|const)\b|\bvprintf\b", re.M
)
_TID = re.compile(r"^(\s*mov\.u32\s+(%\w+),\s*%tid\.x;)", re.M)
# Each thread takes the number of its lane's thread in the opposite warp.
_TURNED = (
    "{{ .reg .b32 %mt_warp; and.b32 %mt_warp, {0}, -32; "
    "shl.b32 %mt_warp, %mt_warp, 1; sub.s32 {0}, {0}, %mt_warp; "
    "add.s32 {0}, {0}, {1}; }}"
)
# Each thread becomes a block of its own, at its place in the order.
_PLACE = re.compile(r"mov\.u32\s+(%\w+),\s*%(tid|ntid|ctaid|nctaid)\.x;")
_TURN = (
    "{{ .reg .b32 %mt_at, %mt_to; .reg .pred %mt_is; mov.u32 %mt_at, %ctaid.x; {back} "
    "mov.u32 %mt_to, %mt_at; {swap} {op}.u32 {to}, %mt_to, {threads}; }}"
)
_SWAP = "setp.eq.u32 %mt_is, %mt_at, {}; selp.b32 %mt_to, {}, %mt_to, %mt_is; "
_NUMBER = re.compile(r"%n?(tid|ctaid)\.")
# What threads do together.
_TOGETHER = re.compile(
    r"\bbar(rier)?\.|\.shared\b|\b(shfl|vote|match|redux|activemask)\b|"
    r"%(laneid|lanemask|n?warpid|clock|globaltimer)"
)
_MOST_THREADS = 1024
Left = list[NDArray[Any]]


@dataclass(frozen=True)
class Result:
    """What a cell of global memory holds in the end, and whether that is right.

    Attributes:
        cell, value, right: The cell, what it holds, and whether it should.
        writes: What the two threads of the race write, the first one first; () where
            that is as in this run.
    """

    cell: str
    value: str
    right: bool
    writes: tuple[str, ...] = ()


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
        self._now = cache(lambda: self._run(self._ptx))

    def of(self, data: Any, address: int) -> dict[str, Result]:
        """Return the orders whose end is known, and that end.

        An order is right if it leaves what the barrier leaves; where no barrier helps,
        what threads leave that run one after the other.

        Args:
            data: Of a race.
            address: Of its cell.
        """
        if self._ptx and not data.is_ordered:
            return self._in_turn(data, address)
        if not self._ptx or not data.first:
            return {}
        early, late = data.in_order
        fixed = self._with_barrier(early.step, late.step, data.rounds)
        now = self._now() if fixed else None
        if fixed is None or now is None:
            return {}
        left = {data.first: now[0], "barrier": fixed}
        turned = self._turned(data, address)
        if turned is not None:
            left["other" if data.first == "writer" else "writer"] = turned
        return self._told(left, data.array, "barrier")

    def _in_turn(self, data: Any, address: int) -> dict[str, Result]:
        """Return what this run leaves, and threads that run one after the other.

        {} where these depend on who is first and nobody can say who should be.
        """
        grid, block = self._launch.grid, self._launch.block
        first, last = (
            number_at(side.block, grid) * block[0] + side.thread[0]
            for side in data.in_order
        )
        plain = self._serial(first, last, swap=False)
        turned = self._serial(first, last, swap=True) if plain else None
        now = self._now() if turned else None
        if plain is None or turned is None or now is None:
            return {}
        if data.other.kind == "reads":
            right = data.early == "other" and _reads_first(plain[1])
        else:
            ends = zip(plain[0], turned[0], strict=True)
            right = not any(_differ(*each).any() for each in ends)
        if not right or not (data.first or data.at_once):
            return {}
        orders = ("writer", "other")[:: 1 if data.early == "writer" else -1]
        left = {orders[0]: plain[0], orders[1]: turned[0], "turn": plain[0]}
        found = self._told({**left, data.first or "once": now[0]}, data.array, "turn")
        found.pop("turn", None)
        if data.other.kind != "reads":
            blocks, here = sorted((first, last)), number_at(data.writer.block, grid)
            if first > last:  # they run from the last one to the first
                blocks = [plain[1].grid[0] - 1 - each for each in blocks[::-1]]
            runs = {
                orders[0]: (plain[1], blocks),
                orders[1]: (turned[1], blocks),
                "once": (self._launch, [here, here]),
            }
            for order in found.keys() - {data.first}:
                writes = self._writes(*runs[order], address, data.writer)
                found[order] = replace(found[order], writes=writes)
        return found

    def _serial(self, first: int, last: int, swap: bool) -> tuple[Left, Launch] | None:
        """Return what is left where each thread runs only after the one before it.

        Args:
            first, last: Numbers of two threads in the grid, in their order.
            swap: Whether these two take each other's place.
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
        back = f"sub.s32 %mt_at, {every - 1}, %mt_at;" * (first > last)
        swaps = (_SWAP.format(first, last) + _SWAP.format(last, first)) * swap

        def placed(at: re.Match[str]) -> str:
            to, name = at[1], at[2]
            if name.startswith("n"):
                return f"mov.u32 {to}, {threads if name == 'ntid' else blocks};"
            op = "rem" if name == "tid" else "div"
            return _TURN.format(back=back, swap=swaps, op=op, to=to, threads=threads)

        ran = self._run(_PLACE.sub(placed, ptx), True, ((every, 1, 1), (1, 1, 1)))
        in_turn = ran is not None and not (np.diff(ran[1].trace.block) < 0).any()
        return ran if in_turn else None

    def _writes(
        self, launch: Launch, blocks: list[int], address: int, side: Any
    ) -> tuple[str, ...]:
        """Return what is in a cell after two threads write it, the first one first.

        Args:
            launch: That ran.
            blocks: Of the two threads.
            address: Of the cell.
            side: One of them.
        """
        every = accesses_of(launch.trace)
        mine = (launch.trace.line[every.step] == side.line) & (every.kind != READ)
        values = [every.value[mine & (every.block == at)] for at in blocks]
        for each in self._arrays:
            old = np.asarray(each.before)
            if 0 <= address - each.pointer < old.nbytes and all(map(len, values)):
                bits = (int(found[0]).to_bytes(8, "little") for found in values)
                kept = (np.frombuffer(raw, old.dtype, 1)[0] for raw in bits)
                return tuple(number(value.item()) for value in kept)
        return ()

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

    def _with_barrier(self, early: int, late: int, rounds: bool) -> Left | None:
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

    def _turned(self, data: Any, address: int) -> Left | None:
        """Return what is left where the warps run the other way round.

        None where that does not turn the two accesses.
        """
        (x, y, z), ptx = self._launch.block, self._ptx
        if y * z != 1 or x % 32 or x < 64 or "%warpid" in ptx or not _TID.search(ptx):
            return None
        if data.writer.warp == data.other.warp or data.space != "shared":
            return None
        turn = _TID.sub(lambda at: f"{at[1]} {_TURNED.format(at[2], x - 32)}", ptx)
        ran = self._run(turn, trace=True)
        if ran is None or any(each.kind == "deadlock" for each in ran[1].findings):
            return None
        sides = data.writer, data.other
        steps = [self._step(ran[1], address, each) for each in sides]
        first = "writer" if steps[0] < steps[1] else "other"
        return ran[0] if min(steps) >= 0 and first != data.first else None

    def _step(self, launch: Launch, address: int, side: Any) -> int:
        """Return the step of an access in the run that is turned; -1: it has none."""
        every, (block, warp) = accesses_of(launch.trace), side.warp
        thread = launch.block[0] + side.thread[0] % LANES - LANES * (warp + 1)
        at = (every.space == SHARED) & (every.block == block)
        at &= (every.thread == thread) & (launch.trace.line[every.step] == side.line)
        at &= (every.address <= address) & (address < every.address + every.size)
        kinds = [kind for kind, verb in VERBS.items() if verb == side.kind]
        return max(every.step[at & np.isin(every.kind, kinds)][:1], default=-1)

    def _told(
        self, left: dict[str, Left], array: str, wanted: str
    ) -> dict[str, Result]:
        """Return the first cell that differs among the runs, in each of them.

        Args:
            left: By the order of each run.
            array: Of the finding; the cell is one of it, if it differs there.
            wanted: The order that is right.
        """
        own = sorted(enumerate(self._arrays), key=lambda each: each[1].name != array)
        ends = {
            at: {order: each[at].reshape(-1) for order, each in left.items()}
            for at, _ in own
            if left[wanted][at].dtype.kind not in "cV"
        }
        # Where no other order was run, a cell that the launch changes tells the end.
        old = {at: np.asarray(each.before) for at, each in own if len(left) < 3}
        for others in (False, True):
            for at in ends if old or not others else ():
                right = ends[at][wanted]
                near = [old[at].reshape(-1)] if others else ends[at].values()
                apart = np.any([_differ(each, right) for each in near], axis=0)
                if apart.any():
                    return self._ends(ends[at], wanted, at, int(apart.argmax()))
        return {}

    def _ends(
        self, ends: dict[str, NDArray[Any]], wanted: str, at: int, cell: int
    ) -> dict[str, Result]:
        """Return what a cell of an array holds after each run."""
        argument, right = self._arrays[at], ends[wanted][cell]
        index = np.unravel_index(cell, argument.shape or (1,))
        name = shortened(argument.name or f"array {at + 1}", 12)
        name += f"[{', '.join(str(int(each)) for each in index)}]"
        return {
            order: Result(name, number(each[cell].item()),
                          not _differ(each[cell], right))
            for order, each in ends.items()
        }  # fmt: skip


def _reads_first(launch: Launch) -> bool:
    """Return whether no thread, each a block, reads what another one wrote."""
    every, written = accesses_of(launch.trace), dict[int, int]()
    rows = zip(*(each.tolist() for each in (every.address, every.block, every.kind)),
               strict=True)  # fmt: skip
    for address, block, kind in rows:
        if kind == READ and written.get(address, block) != block:
            return False
        if kind != READ:
            written[address] = block
    return True


def _differ(one: Any, other: Any) -> Any:
    """Return which values differ; NaN equals NaN."""
    return ~((one == other) | ((one != one) & (other != other)))
