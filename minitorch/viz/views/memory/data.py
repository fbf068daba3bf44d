"""The numbers of the memory view: sectors and passes of single instructions.

Sources: a request to global memory moves the 32-byte sectors that its lanes touch; word
w of shared memory lies in bank w mod 32, and a pass serves one word of each bank, to
all lanes that want it (CUDA C++ Programming Guide).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....cuda import Trace
from ....cuda.inspecting.accesses import ATOMIC, GLOBAL, SHARED, Accesses, accesses_of
from ....cuda.inspecting.trace import LANES
from ...scene.code_view import lines_of
from ...scene.drawing import shortened
from ...traces.arrays import Array
from ...traces.launches import NOUNS, require_trace
from ...traces.shared_names import shared_arrays_of

SECTOR, LINE, WORD, BANKS = 32, 128, 4, 32
_MULTIPLE, _MOST_PADDING = 8, 4  # words of a row, and up to 4 that pad it
_MOST_CHOICES, _MOST_SHARED = 8, 4  # instructions to choose from


@dataclass(frozen=True)
class Request:
    """One memory instruction of one warp.

    Attributes:
        step, block, warp, line, opcode: which instruction of the trace.
        noun: "load", "store" or "atomic".
        lane: of each of its accesses; a lane of a vector access has several.
        address, size: of each access, in bytes.
        array: the one of 4-byte words with rows that it accesses in shared memory, if
            the kernel's text declares one.
        padding: words at the end of its rows that no thread of the launch uses.
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
    array: Array | None = None
    padding: int = 0

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
    def waste(self) -> float:
        """Bytes that move for each one that is used."""
        return self.moved / self.used

    @property
    def words(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Lane and 4-byte word, for each word that a lane uses."""
        wide = np.arange(int(self.size.max() + WORD - 1) // WORD)
        part = wide * WORD < self.size[:, None]
        lane = np.broadcast_to(self.lane[:, None], part.shape)[part]
        return lane, (self.address[:, None] // WORD + wide)[part]


@dataclass(frozen=True)
class Banks:
    """How the banks serve one request to shared memory.

    Attributes:
        lane, word: pairs, one for each word that a lane uses.
        groups: (groups, 32) words that each bank serves to lanes that are served
            together: all, or halves or quarters of the warp.
        start: first word of the array.
        width: words of its rows, or where nobody knows them, from lane to lane of those
            that go down a column; else 32.
        padding: words that each row has besides.
    """

    lane: NDArray[np.int64]
    word: NDArray[np.int64]
    groups: NDArray[np.int64]
    start: int
    width: int
    padding: int

    @property
    def passes(self) -> int:
        """Trips through the banks that the request takes."""
        return int(self.groups.max(axis=1).sum())

    @property
    def pads(self) -> NDArray[np.bool_]:
        """Of each word of the array until its last row that is used: is it padding?"""
        wide = self.width + self.padding
        rows = (int(self.word.max()) - self.start) // wide + 1
        at = np.arange(-self.start, rows * wide)
        return (at >= 0) & (at % wide >= self.width)


@dataclass(frozen=True)
class Traffic:
    """What the memory view shows.

    Attributes:
        requests: to global memory: the chosen one, or the best and the worst.
        shared: the request to shared memory, or None.
        choices: of each instruction to global memory the request that wastes most, in
            order of lines; of very many the most wasteful.
        shared_choices: the same of shared memory, by their passes.
        lines: of the kernel's code; none where nobody has it.
    """

    requests: tuple[Request, ...]
    shared: Request | None
    choices: tuple[Request, ...]
    shared_choices: tuple[Request, ...]
    lines: tuple[str, ...] = ()

    def code(self, request: Request) -> str:
        """Return the source line of a request; "" where nobody has it."""
        at = request.line
        return "".join(self.lines[at - 1 : at]).strip().rstrip(";") if at > 0 else ""

    @property
    def banks(self) -> tuple[Banks, ...]:
        """How banks serve the shared request, without padding and with one word."""
        if self.shared is None:
            return ()
        return tuple(banks_of(self.shared, padding) for padding in (0, 1))

    @property
    def columns(self) -> int:
        """Columns of rows whose words lanes go down: where these lie is a choice."""
        wide = max((banks_of(each).width for each in self.shared_choices), default=1)
        return min(wide, BANKS) if self.compares else 1

    @property
    def compares(self) -> bool:
        """Whether other padding makes a difference."""
        return self.shared is not None and self.banks[0].passes > 1


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


def banks_of(request: Request, padding: int | None = None, column: int = 0) -> Banks:
    """Words, banks and passes of a request to shared memory.

    Args:
        request: Of a trace.
        padding: Words that each row of the array would have besides; None: as it ran.
        column: How many columns further on, in each row round and round.
    """
    lane, word = request.words
    start, row = 0, _row(word, lane)
    if request.array:
        start, row = int(request.array.address[0]) // WORD, request.array.shape[1]
    width = row - request.padding
    padding = request.padding if padding is None else padding
    rows, own = np.divmod(word - start, row)
    most = int(np.bincount(lane, minlength=1).max())
    word = start + rows * (width + padding) + (own + column * most) % width
    # 8 bytes a lane go by half warps, 16 by quarters; their passes add up.
    part = LANES // min(1 << (most - 1).bit_length(), 4)
    alone = request.noun == NOUNS[ATOMIC]
    groups = []
    for group in range(0, LANES, part):
        taken = word[(lane >= group) & (lane < group + part)]
        wanted = (taken if alone else np.unique(taken)) % BANKS
        groups.append(np.bincount(wanted, minlength=BANKS))
    return Banks(lane, word, np.array(groups), start, width, padding)


def _with_arrays(
    requests: tuple[Request, ...], launch: Any, every: Accesses, lines: list[str]
) -> tuple[Request, ...]:
    """Requests to shared memory with their arrays of rows, and the padding."""
    own = every.where(every.space == SHARED)
    known: list[dict[str, Any]] = []
    for array in shared_arrays_of(launch, launch.trace, own, lines):
        if len(array.shape) == 2 and array.size == WORD:
            row, first = array.shape[1], array.cells_at(own.address)
            last = (first + (own.size - 1) // WORD)[first >= 0] % row
            unused = row - 1 - int(last.max(initial=-1))
            padded = unused == row % _MULTIPLE and unused <= _MOST_PADDING
            known.append({"array": array, "padding": unused * padded})
    found = []
    for each in requests:
        inside = (one for one in known
                  if (one["array"].cells_at(each.address) >= 0).all())  # fmt: skip
        found.append(replace(each, **next(inside, {})))
    return tuple(found)


def _row(word: NDArray[np.int64], lane: NDArray[np.int64]) -> int:
    """Words between neighbouring lanes where that is the same for all of them."""
    firsts = word[np.unique(lane, return_index=True)[1]]
    steps = np.unique(np.diff(firsts))
    return int(steps[0]) if len(steps) == 1 and steps[0] > 1 else BANKS


def _rank(request: Request, cost: float) -> tuple[float, int, int, int]:
    """The key of the costliest; of equal ones the first warp's is shown."""
    return cost, request.lanes, -request.block, -request.warp


def _passes_of() -> Callable[[Request], Any]:
    """What a request costs in shared memory; a pattern of many is counted once."""
    known: dict[Any, int] = {}

    def rank(request: Request) -> Any:
        moved = request.address - request.address[0] // LINE * LINE
        parts = (moved, request.size, request.lane)
        pattern = (request.noun, *(each.tobytes() for each in parts))
        if pattern not in known:
            known[pattern] = banks_of(request).passes
        return _rank(request, known[pattern])

    return rank


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
    for name, value in {"line": line, "warp": warp, "block": block}.items():
        if value is not None and not hasattr(value, "__index__"):
            raise TypeError(f"[viz.memory] got {name} {value!r}; need a number.")
    every = accesses_of(trace)
    wanted = {"line": line, "warp": warp, "block": block}
    wanted = {name: value for name, value in wanted.items() if value is not None}
    away, near = (
        [each for each in requests_of(trace, every, space)
         if all(getattr(each, name) == value for name, value in wanted.items())]
        for space in (GLOBAL, SHARED)
    )  # fmt: skip
    if not away and not near:
        known = sorted({int(each) for each in trace.line[every.step]})
        raise ValueError(
            f"[viz.memory] no access to global or shared memory has line {line}, warp "
            f"{warp}, block {block}. Lines of {shortened(launch.kernel)} with "
            f"accesses: {known}."
        )
    away.sort(key=lambda each: _rank(each, each.waste), reverse=True)
    near.sort(key=_passes_of(), reverse=True)
    shown = away[:1]
    if away and line is None:
        best = max(away, key=lambda each: _rank(each, -each.waste))
        shown = [best, *shown][_place(best) == _place(away[0]) :]
    lines = lines_of(None, launch.source_file, launch.source)
    shared = _with_arrays(_choices(near, _MOST_SHARED), launch, every, lines)
    return Traffic(
        requests=tuple(shown),
        shared=next((each for each in shared if each.step == near[0].step), None),
        choices=_choices([*shown, *away], _MOST_CHOICES),
        shared_choices=shared,
        lines=tuple(lines),
    )


def _choices(requests: list[Request], most: int) -> tuple[Request, ...]:
    """One request for each instruction: the first of those that come first."""
    found: dict[Any, Request] = {}
    for each in requests:
        if len(found) < most:
            found.setdefault(_place(each), each)
    return tuple(found[place] for place in sorted(found))


def _place(request: Request) -> tuple[int, str]:
    return request.line, request.noun
