"""The numbers of the memory view: sectors and passes of single instructions.

Sources: a request to global memory moves the 32-byte sectors that its lanes touch; word
w of shared memory lies in bank w mod 32, and a pass serves one word of each bank, to
all lanes that want it (CUDA C++ Programming Guide).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....cuda import Trace
from ....cuda.inspecting.trace import LANES
from ...scene.drawing import shortened
from ...traces.faults import Fault, fault_of
from ...traces.launches import (
    ATOMIC,
    GLOBAL,
    NOUNS,
    SHARED,
    Accesses,
    accesses_of,
    require_trace,
)

SECTOR, LINE, WORD, BANKS = 32, 128, 4, 32
_MOST_CHOICES, _MOST_SHARED = 8, 4  # instructions to choose from


@dataclass(frozen=True)
class Request:
    """One memory instruction of one warp.

    Attributes:
        step, block, warp, line, opcode: which instruction of the trace.
        noun: "load", "store" or "atomic".
        lane: of each of its accesses; a lane of a vector access has several.
        address, size: of each access, in bytes.
    """

    step: int
    block: int
    warp: int
    line: int
    opcode: str
    noun: str
    lane: NDArray[np.int64]
    address: NDArray[np.int64]
    size: NDArray[np.int64]

    @property
    def lanes(self) -> int:
        """Lanes that took part."""
        return len(set(self.lane.tolist()))

    def _units(self, unit: int) -> NDArray[np.int64]:
        first, last = self.address // unit, (self.address + self.size - 1) // unit
        return np.unique(np.concatenate([first, last]))

    @cached_property
    def sectors(self) -> NDArray[np.int64]:
        """Numbers of the 32-byte sectors that it moves."""
        return self._units(SECTOR)

    @cached_property
    def lines(self) -> NDArray[np.int64]:
        """Numbers of the 128-byte lines that these belong to."""
        return self._units(LINE)

    @cached_property
    def used(self) -> int:
        """Different bytes that lanes use."""
        span = np.arange(int(self.size.max()))
        each = (self.address[:, None] + span)[span < self.size[:, None]]
        return len(np.unique(each))

    @property
    def moved(self) -> int:
        """Bytes of its sectors."""
        return SECTOR * len(self.sectors)

    @property
    def words(self) -> NDArray[np.int64]:
        """The 4-byte word that each access begins in."""
        return self.address // WORD


@dataclass(frozen=True)
class Banks:
    """How the banks serve one request to shared memory.

    Attributes:
        lane, word: pairs, one for each word that a lane uses.
        served: for each bank, the words that it serves, one in a pass.
        passes: trips through the banks that the request takes.
        width: words of a row, where the lanes go down a column; else 32.
        padding: words that each row has more than in the kernel.
    """

    lane: NDArray[np.int64]
    word: NDArray[np.int64]
    served: NDArray[np.int64]
    passes: int
    width: int
    padding: int


@dataclass(frozen=True)
class Traffic:
    """What the memory view shows.

    Attributes:
        requests: to global memory: the chosen one, or the best and the worst.
        shared: the request to shared memory, or None.
        banks: how the banks serve it: as it is, and with a padding word a row.
        choices: of each instruction to global memory the request that wastes most, in
            order of lines; of very many the most wasteful.
        shared_choices: the same of shared memory, by their passes.
        cut: whether the trace was cut.
        lane: where the launch failed, if its warp is shown; -1 for any.
        fault: what went wrong in the launch.
    """

    requests: tuple[Request, ...]
    shared: Request | None
    banks: tuple[Banks, ...]
    choices: tuple[Request, ...]
    shared_choices: tuple[Request, ...]
    cut: bool
    lane: int = -1
    fault: Fault | None = None


def requests_of(trace: Trace, every: Accesses, space: int) -> list[Request]:
    """The instructions of single warps that accessed a space."""
    own = every.where(every.space == space)
    starts = np.nonzero(np.diff(own.step, prepend=-1))[0]
    found = []
    for start, end in zip(starts, [*starts, len(own)][1:], strict=True):
        step = int(own.step[start])
        found.append(
            Request(
                step=step,
                block=int(own.block[start]),
                warp=int(own.thread[start]) // LANES,
                line=int(trace.line[step]),
                opcode=str(trace.opcode[step]),
                noun=NOUNS[int(own.kind[start])],
                lane=own.thread[start:end] % LANES,
                address=own.address[start:end],
                size=own.size[start:end],
            )
        )
    return found


def banks_of(request: Request, padding: int = 0) -> Banks:
    """Words, banks and passes of a request to shared memory.

    Args:
        request: Of a trace.
        padding: Words that each row of the array would have more.
    """
    first, count = request.words, (request.size + WORD - 1) // WORD
    repeat = np.arange(int(count.max()))
    inside = repeat < count[:, None]
    word = (first[:, None] + repeat)[inside]
    lane = np.broadcast_to(request.lane[:, None], inside.shape)[inside]
    width = _row(word, lane)
    word = word // width * (width + padding) + word % width
    # 8 bytes a lane go by half warps, 16 by quarters; their passes add up.
    most = int(np.bincount(lane, minlength=1).max())
    part = LANES // (1 if most == 1 else 2 if most == 2 else 4)
    alone = request.noun == NOUNS[ATOMIC]
    groups = []
    for group in range(0, LANES, part):
        taken = word[(lane >= group) & (lane < group + part)]
        wanted = (taken if alone else np.unique(taken)) % BANKS
        groups.append(np.bincount(wanted, minlength=BANKS))
    passes = sum(int(served.max()) for served in groups)
    return Banks(lane, word, np.sum(groups, axis=0), passes, width, padding)


def _row(word: NDArray[np.int64], lane: NDArray[np.int64]) -> int:
    """Words between neighbouring lanes where that is the same for all of them."""
    firsts = word[np.unique(lane, return_index=True)[1]]
    steps = np.unique(np.diff(firsts))
    return int(steps[0]) if len(steps) == 1 and steps[0] > 1 else BANKS


def _least(request: Request) -> tuple[float, int, int, int]:
    return request.moved / request.used, -request.lanes, request.block, request.warp


# Of equal requests the first warp's is shown.
def _waste(request: Request) -> tuple[float, int, int, int]:
    waste = request.moved / request.used
    return waste, request.lanes, -request.block, -request.warp


def _passes_of() -> Callable[[Request], tuple[int, int, int, int]]:
    """What a request costs in shared memory; a pattern of many is counted once."""
    known: dict[tuple[bytes, ...], int] = {}

    def passes(request: Request) -> tuple[int, int, int, int]:
        moved = request.address - request.address[0] // LINE * LINE
        parts = (moved, request.size, request.lane)
        pattern = (request.noun.encode(), *(each.tobytes() for each in parts))
        if pattern not in known:
            known[pattern] = banks_of(request).passes
        return known[pattern], request.lanes, -request.block, -request.warp

    return passes


def _chosen(
    requests: list[Request], line: int | None, warp: int | None, block: int | None
) -> list[Request]:
    wanted = [("line", line), ("warp", warp), ("block", block)]
    return [
        each
        for each in requests
        if all(value is None or getattr(each, name) == value for name, value in wanted)
    ]


def _of_failed(every: Accesses, fault: Fault | None) -> tuple[int, int, int] | None:
    """Warp, block and lane that failed, where that warp used memory before."""
    if fault is None:
        return None
    own = (every.block == fault.block) & (every.thread // LANES == fault.warp)
    return (fault.warp, fault.block, fault.thread % LANES) if own.any() else None


def memory_data(
    launch: Any,
    line: int | None = None,
    warp: int | None = None,
    block: int | None = None,
) -> Traffic:
    """Choose instructions of a launch and count what they move.

    Args:
        launch: With a trace.
        line: Only instructions of this source line; None: of global memory the request
            that wastes most and the one that wastes least, of shared memory the one
            with the most passes.
        warp: Only this warp of its block.
        block: Only the block with this number.

    Raises:
        ValueError: No trace, or no such instruction.
        TypeError: Not a launch, or no numbers.
    """
    trace = require_trace(launch, "memory")
    for name, value in (("line", line), ("warp", warp), ("block", block)):
        if value is not None and not hasattr(value, "__index__"):
            raise TypeError(f"[viz.memory] got {name} {value!r}; need a number.")
    every = accesses_of(trace)
    lane, fault = -1, fault_of(launch)
    if line is warp is block is None:
        warp, block, lane = _of_failed(every, fault) or (None, None, -1)
    away, near = (
        _chosen(requests_of(trace, every, space), line, warp, block)
        for space in (GLOBAL, SHARED)
    )
    if not away and not near:
        lines = sorted({int(each) for each in trace.line[every.step]})
        raise ValueError(
            f"[viz.memory] got line {line}, warp {warp}, block {block}; need an "
            f"instruction of {shortened(launch.kernel)} that uses global or shared "
            f"memory: lines {lines}. {fault.sentence if fault else ''}".rstrip()
        )
    away.sort(key=_waste, reverse=True)  # the costliest first
    near.sort(key=_passes_of(), reverse=True)
    shown = _shown(away, line is not None)
    shared = near[0] if near else None
    return Traffic(
        requests=tuple(shown),
        shared=shared,
        banks=variants_of(shared),
        choices=_choices(away, _MOST_CHOICES, shown),
        shared_choices=_choices(near, _MOST_SHARED, near[:1]),
        cut=trace.truncated,
        lane=lane,
        fault=fault,
    )


def _shown(requests: list[Request], of_line: bool) -> list[Request]:
    """The costliest of those that are sorted so, and the cheapest beside it."""
    if not requests:
        return []
    worst, best = requests[0], min(requests, key=_least)
    return [worst] if of_line or _same(best, worst) else [best, worst]


def variants_of(request: Request | None) -> tuple[Banks, ...]:
    """How banks serve a request: as it is; where lanes wait also with padding."""
    if request is None:
        return ()
    banks = banks_of(request)
    if banks.passes == 1 or request.noun == NOUNS[ATOMIC]:
        return (banks,)
    return banks, banks_of(request, padding=1)


def _choices(
    requests: list[Request], most: int, shown: list[Request]
) -> tuple[Request, ...]:
    """One request for each instruction: those that are shown, else the costliest."""
    found = {_place(each): each for each in shown}
    own = len(found)
    for each in requests:
        if len(found) < max(most, own):
            found.setdefault(_place(each), each)
    return tuple(found[place] for place in sorted(found))


def _place(request: Request) -> tuple[int, str]:
    return request.line, request.noun


def _same(one: Request, other: Request) -> bool:
    return _place(one) == _place(other)
