"""The steps of one block: which warp ran which line, who waited, who was done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...cuda import Trace
from ...cuda.inspecting.trace import LANES

NOT_STARTED = -1
_BARRIERS = tuple(
    f"{name}.{kind}" for name in ("bar", "barrier") for kind in ("sync", "red", "cta")
)

Columns = NDArray[Any]


@dataclass(frozen=True)
class Steps:
    """The steps of one block, one row each, and what held after each of them.

    Attributes:
        warp, line: Who ran what; line 0: none is known.
        mask: Bits of the lanes that ran any of it.
        first, last: Rows of the trace that belong to it, both included.
        arrives: Does the warp reach a barrier of the block?
        opens: Does a barrier open after it?
        waits, done: (steps, warps) bits of lanes that wait at a barrier, that ended.
        at: (steps, warps) line of each warp's last step, or `NOT_STARTED`.
        lanes: (warps,) bits of the lanes that are threads of the block.
    """

    warp: Columns
    line: Columns
    mask: Columns
    first: Columns
    last: Columns
    arrives: Columns
    opens: Columns
    waits: Columns
    done: Columns
    at: Columns
    lanes: Columns

    def __len__(self) -> int:
        return len(self.warp)


def at_barriers(opcode: Columns) -> Columns:
    """Tell which instructions are barriers of a block that make a warp wait."""
    found = np.zeros(len(opcode), bool)
    for name in _BARRIERS:
        found |= np.char.startswith(opcode, name)
    return found


def lanes_in(threads: int) -> Columns:
    """For each warp of a block of so many threads, the bits of its lanes.

    Example:
        >>> [f"{bits:x}" for bits in lanes_in(40).tolist()]
        ['ffffffff', 'ff']
    """
    left = threads - LANES * np.arange(-(-threads // LANES))
    return (1 << np.minimum(left, LANES).astype(np.int64)) - 1


def _again(
    instruction: Columns, mask: Columns, owner: Columns, call: Columns, rows: range
) -> list[int]:
    """Rows of one line where some lane runs an instruction a second time.

    A line that calls a function twice does not run again.
    """
    ran: dict[tuple[int, int], int] = {}  # lanes, by function and instruction
    found = []
    for row in rows:
        at, bits = (int(owner[row]), int(instruction[row])), int(mask[row])
        if ran.get(at, 0) & bits:
            found.append(row)
            ran = {}
        ran[at] = ran.get(at, 0) | bits
        if call[row]:
            ran = {each: lanes for each, lanes in ran.items() if each[0] == at[0]}
    return found


def _starts(warp: Columns, line: Columns, instruction: Columns, mask: Columns,
            barrier: Columns, opcode: Columns, function: Columns
            ) -> Columns:  # fmt: skip
    """First rows of steps: another warp or line, another round, after a barrier."""
    new = np.ones(len(warp), bool)
    new[1:] = (np.diff(warp) != 0) | (np.diff(line) != 0) | barrier[:-1]
    starts = np.nonzero(new)[0]
    group = np.cumsum(new) - 1
    pairs = group * (int(instruction.max()) + 1) + instruction
    _, first = np.unique(pairs, return_index=True)
    repeated = np.ones(len(warp), bool)
    repeated[first] = False
    ends = [*starts[1:].tolist(), len(warp)]
    owner = np.unique(function, return_inverse=True)[1]
    call = np.char.startswith(opcode, "call")
    for at in np.unique(group[repeated]).tolist():
        rows = range(int(starts[at]), ends[at])
        new[_again(instruction, mask, owner, call, rows)] = True
    return np.nonzero(new)[0]


def _ends(trace: Trace, rows: Columns) -> Columns:
    """Do rows end the kernel for their lanes? A function's `ret` does not."""
    where = trace.function[rows]
    opcode = trace.opcode[rows]
    entry = where == where[0]
    ends: Columns = (opcode == "exit") | (np.char.startswith(opcode, "ret") & entry)
    return ends


def _after(warp: Columns, arrived: Columns, ended: Columns, line: Columns,
           mask: Columns, lanes: Columns) -> dict[str, Columns]:  # fmt: skip
    """What holds after each step, as columns: one pass over the steps in order."""
    count, warps = len(warp), len(lanes)
    waits = np.zeros((count, warps), np.int64)
    done = np.zeros((count, warps), np.int64)
    at = np.full((count, warps), NOT_STARTED, np.int64)
    opens = np.zeros(count, bool)
    waiting, gone = np.zeros(warps, np.int64), np.zeros(warps, np.int64)
    here = np.full(warps, NOT_STARTED, np.int64)
    for step in range(count):
        who = warp[step]
        waiting[who] &= ~mask[step]  # a barrier of some warps only has let it go
        waiting[who] |= arrived[step]
        gone[who] |= ended[step]
        here[who] = line[step]
        waits[step], done[step], at[step] = waiting, gone, here
        if waiting.any() and not (lanes & ~(waiting | gone)).any():
            opens[step] = True
            waiting[:] = 0
    # Whoever a barrier lets go runs on: after the last step nothing opened.
    opens[-1:] = False
    return {"waits": waits, "done": done, "at": at, "opens": opens}


def steps_of(trace: Trace, block: int, threads: int) -> Steps:
    """Group what one block ran into steps.

    A step is what a warp runs of one source line before another line, another warp, a
    barrier or the next round of a loop.

    Args:
        trace: Of the launch.
        block: Number of the block.
        threads: Of a block.

    Returns:
        The steps; none where the trace has none of this block.
    """
    rows = np.nonzero(trace.block == block)[0]
    lanes = lanes_in(threads)
    warp, line = (each[rows].astype(np.int64) for each in (trace.warp, trace.line))
    mask = trace.mask[rows].astype(np.int64)
    opcode = trace.opcode[rows]
    barrier = at_barriers(opcode)
    code = trace.columns["instruction"][rows].astype(np.int64)
    starts, ends = rows, barrier
    if len(rows):
        starts = _starts(warp, line, code, mask, barrier, opcode, trace.function[rows])
        ends = _ends(trace, rows)

    def joined(values: Columns) -> Columns:
        return np.bitwise_or.reduceat(values, starts) if len(rows) else values

    own, at_line, all_lanes = warp[starts], line[starts], joined(mask)
    arrived = joined(np.where(barrier, mask, 0))
    ended = joined(np.where(ends, mask, 0))
    after = _after(own, arrived, ended, at_line, all_lanes, lanes)
    last = np.append(starts[1:], len(rows)) - 1 if len(rows) else starts
    return Steps(
        warp=own,
        line=at_line,
        mask=all_lanes,
        first=rows[starts],
        last=rows[last],
        arrives=arrived != 0,
        lanes=lanes,
        **after,
    )
