"""The way of each warp through a launch: where it splits, joins and loops."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...cuda import Trace
from ...cuda.inspecting.accesses import Bools, Ints, Rows
from ...cuda.inspecting.trace import LANES, lanes_of


@dataclass(frozen=True)
class Loop:
    """Instructions that a warp came back to.

    Attributes:
        low, high: Numbers of its first and last instruction, as in the trace.
        first_line, last_line: The source lines of its instructions.
        active: Instructions of single threads in it.
        steps: Instructions of warps in it.
        lost: Instructions that its threads were off for.
        splits: Branches in it whose threads went different ways.
    """

    low: int
    high: int
    first_line: int
    last_line: int
    active: int
    steps: int
    lost: int
    splits: int


@dataclass(frozen=True)
class Paths(Rows):
    """Instructions of warps, one warp after the other; one row each.

    `where` keeps whole warps, since rows know the ones beside them.

    Attributes:
        step: Row of the trace.
        warp: Whose.
        line, instruction, mask: As in the trace.
        starts: Whether it is its warp's first.
        branch: Whether it is a branch.
        leaves: Whether it only jumps or ends: there is nothing of the program in it.
        present: Threads that its warp has.
        active: Threads that ran it.
        back: The instruction that threads of a branch went back to; -1 for none.
        splits: Whether it is a branch whose threads go different ways.
        joins: Whether threads run it together that were apart before.
    """

    warp: Ints
    line: Ints
    instruction: Ints
    mask: NDArray[np.uint32]
    starts: Bools
    branch: Bools
    leaves: Bools
    present: Ints
    active: Ints
    back: Ints
    splits: Bools
    joins: Bools

    @property
    def lost(self) -> Ints:
        """Threads that were off while their warp ran each row."""
        return self.present - self.active


def _opcodes(trace: Trace, rows: Ints) -> tuple[Bools, ...]:
    """Which rows are branches, and which jump or end: once an instruction."""
    found, first, back = np.unique(
        trace.columns["instruction"][rows], return_index=True, return_inverse=True
    )
    if not len(found):
        return np.zeros(0, bool), np.zeros(0, bool)
    kinds = [str(each).partition(".")[0] for each in trace.opcode[rows[first]]]
    branch = np.array([each in ("bra", "brx") for each in kinds])
    ends = np.array([each in ("bra", "brx", "ret", "exit") for each in kinds])
    return branch[back], ends[back]


def _next_of(
    code: Ints,
    mask: NDArray[np.uint32],
    starts: Bools,
    branch: Bools,
) -> tuple[Ints, Ints]:
    """The lowest and the highest instruction that lanes of each branch went on with.

    Other lanes of the warp may run in between. For other rows, and where the trace
    ends, the lowest is beyond all instructions and the highest -1.
    """
    beyond = int(code.max(initial=0)) + 1
    lowest, highest = np.full(len(code), beyond), np.full(len(code), -1)
    entry = starts.copy()
    entry[1:] |= branch[:-1] | (mask[1:] != mask[:-1])
    rows = np.nonzero(entry | branch)[0]  # between these, nothing goes astray
    warp = np.cumsum(starts)[rows]
    for lane in range(LANES):
        own = mask[rows] >> np.uint32(lane) & 1 != 0
        mine, whose = rows[own], warp[own]
        pair = branch[mine[:-1]] & (whose[:-1] == whose[1:])
        at, then = mine[:-1][pair], code[mine[1:][pair]]
        lowest[at] = np.minimum(lowest[at], then)
        highest[at] = np.maximum(highest[at], then)
    return lowest, highest


def paths_of(trace: Trace, threads: int, block: int = 0) -> Paths:
    """Order a block's trace by warps and tell where their threads part and meet.

    Args:
        trace: Of a launch.
        threads: Of a block.
        block: Its number.
    """
    rows = np.nonzero(trace.block == block)[0]
    rows = rows[np.argsort(trace.warp[rows], kind="stable")]  # steps stay in order
    warp = trace.warp[rows].astype(np.int64)
    mask = trace.mask[rows]
    branch, leaves = _opcodes(trace, rows)
    starts = np.ones(len(rows), bool)
    starts[1:] = warp[1:] != warp[:-1]
    code = trace.columns["instruction"][rows].astype(np.int64)
    first, last = _next_of(code, mask, starts, branch)
    before, after, same = mask[:-1], mask[1:], ~starts[1:]
    joins = np.zeros(len(rows), bool)
    joins[1:] = same & (before & ~after == 0) & (after & ~before != 0)
    return Paths(
        step=rows,
        warp=warp,
        line=trace.line[rows].astype(np.int64),
        instruction=code,
        mask=mask,
        starts=starts,
        branch=branch,
        leaves=leaves,
        present=np.minimum(threads - warp * LANES, LANES),
        active=lanes_of(mask).sum(axis=1),
        back=np.where(first <= code, first, -1),
        splits=(first != last) & (last >= 0),
        joins=joins,
    )


def loops_of(paths: Paths) -> list[Loop]:
    """The loops that warps turned in, by their branches back; inner ones too."""
    ends: dict[int, int] = {}
    turns = paths.back >= 0
    pairs = np.unique(np.stack([paths.back[turns], paths.instruction[turns]]), axis=1)
    for low, high in pairs.T.tolist():
        ends[low] = max(ends.get(low, high), high)
    return [_loop(paths, low, high) for low, high in ends.items()]


def _loop(paths: Paths, low: int, high: int) -> Loop:
    inside = (paths.instruction >= low) & (paths.instruction <= high)
    lines = paths.line[inside & (paths.line > 0)]
    return Loop(
        low=low,
        high=high,
        first_line=int(lines.min(initial=2**31)) if len(lines) else 0,
        last_line=int(lines.max(initial=0)),
        active=int(paths.active[inside].sum()),
        steps=int(inside.sum()),
        lost=int(paths.lost[inside].sum()),
        splits=int(paths.splits[inside].sum()),
    )


def costly_loop(paths: Paths) -> Loop | None:
    """The loop whose threads were off most; None where another place costs more.

    Of nested loops the innermost that has nearly all of it.
    """
    found = [each for each in loops_of(paths) if each.splits]
    most = max((each.lost for each in found), default=0)
    if 2 * most <= int(paths.lost.sum()):
        return None
    near = [each for each in found if 10 * each.lost >= 9 * most]
    return min(near, key=lambda loop: loop.high - loop.low)
