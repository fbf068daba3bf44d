"""What a racy launch leaves in each order, and with a barrier: it is run again.

On the emulator, with copies of its arguments; only where it is small.
"""

from __future__ import annotations

import itertools
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
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
from ...traces.launches import SHARED, VERBS, accesses_of
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
Left = list[NDArray[Any]]


@dataclass(frozen=True)
class Result:
    """What a cell of global memory holds in the end, and whether that is right."""

    cell: str
    value: str
    right: bool


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

        An order is right if it leaves what the barrier leaves.

        Args:
            data: Of a race.
            address: Of its cell.
        """
        if not self._ptx or not data.is_ordered or not data.first:
            return {}
        fixed = self._with_barrier(*(each.step for each in data.in_order))
        now = self._now() if fixed else None
        if fixed is None or now is None:
            return {}
        left = {data.first: now[0], "barrier": fixed}
        turned = self._turned(data, address)
        if turned is not None:
            left["other" if data.first == "writer" else "writer"] = turned
        return self._told(left, data.array)

    def _run(self, ptx: str, trace: bool = False) -> tuple[Left, Launch] | None:
        """Return what the arrays hold after a run, and the launch; None: it failed."""
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
                self._start(ptx, on_device(values, known))
            left = [known[id(kept[each.pointer])] for each in self._arrays]
            return [each.copy_to_host() for each in left], run.launches[-1]
        except (CudaError, TypeError, ValueError, StopIteration, IndexError):
            return None

    def _start(self, ptx: str, values: tuple[Any, ...]) -> None:
        launch, note = self._launch, self._launch._note
        assert note is not None
        names, shared = _ENTRY.findall(ptx), launch._facts["dynamic_shared"]
        entry = names[0] if len(names) == 1 else str(launch.trace.function[0])
        kernel = RawModule(ptx=ptx).get_function(entry)
        owner = kernel_of(note.launched.owner) if note.launched.owner else None
        if owner is None:
            kernel(launch.grid, launch.block, values, shared)
            return
        layout = owner.layout
        rows = layout.rows(list(note.launched.names))
        packed = _core.PackedKernel(kernel._core, rows, owner.number)
        config = _core.LaunchConfig(launch.grid, launch.block, shared, None)
        packed.launch(config, layout.pack(list(values)))

    def _with_barrier(self, early: int, late: int) -> Left | None:
        """Return what is left with a barrier between two rows of the trace."""
        for line, after in self._places(early, late):
            lines = self._ptx.split("\n")
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

    def _told(self, left: dict[str, Left], array: str) -> dict[str, Result]:
        """Return the first cell that differs among the runs, in each of them.

        Of the array of the finding, if it differs there.
        """
        own = sorted(enumerate(self._arrays), key=lambda each: each[1].name != array)
        for at, argument in own:
            ends = {order: each[at].reshape(-1) for order, each in left.items()}
            right = ends["barrier"]
            if right.dtype.kind in "cV":
                continue
            apart = np.any([_differ(each, right) for each in ends.values()], axis=0)
            if apart.any():
                cell = int(apart.argmax())
                index = np.unravel_index(cell, argument.shape or (1,))
                name = shortened(argument.name or f"array {at + 1}", 12)
                name += f"[{', '.join(str(int(each)) for each in index)}]"
                return {
                    order: Result(name, number(each[cell].item()),
                                  not _differ(each[cell], right[cell]))
                    for order, each in ends.items()
                }  # fmt: skip
        return {}


def _differ(one: Any, other: Any) -> Any:
    """Return which values differ; NaN equals NaN."""
    return ~((one == other) | ((one != one) & (other != other)))
