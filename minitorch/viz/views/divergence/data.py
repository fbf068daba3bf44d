"""The numbers of the divergence view: the stretches of one warp's way."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ....cuda.inspecting.trace import LANES
from ...scene.drawing import shortened
from ...traces.launches import number_of, require_trace
from ...traces.warp_paths import Paths, costly_loop, paths_of

_LONGEST_PATTERN = 12
_MOST_FINE, _MOST_COARSE = 44, 120
_APART, _TOGETHER = 4096, 64  # instructions before and after a join that are looked at


@dataclass(frozen=True)
class Stretch:
    """Instructions that a warp ran one after the other with the same threads.

    Attributes:
        row: The first one, counted in its warp.
        count: How many, in one of its repeats.
        lines: First and last source line.
        mask: The lanes that ran.
        leaves: Whether they only jumped or ended.
        begins: "split", "join" or "other side", as it began; "" for neither.
        border: The line where it split before, or joins; 0 for neither.
        pattern: Number of the pattern of stretches that it is part of.
        repeats: How often the warp ran that pattern.
    """

    row: int
    count: int
    lines: tuple[int, int]
    mask: int
    leaves: bool = False
    begins: str = ""
    border: int = 0
    pattern: int = 0
    repeats: int = 1

    @property
    def active(self) -> int:
        """Lanes that ran."""
        return self.mask.bit_count()


def _stretches(paths: Paths, by_line: bool) -> list[Stretch]:
    """Runs of rows with equal lanes, and of one line if so wanted."""
    change = np.ones(len(paths), bool)
    change[1:] = paths.mask[1:] != paths.mask[:-1]
    if by_line:
        change[1:] |= paths.line[1:] != paths.line[:-1]
    starts = np.nonzero(change)[0].tolist()
    found = []
    for start, end in zip(starts, [*starts, len(paths)][1:], strict=True):
        lines = paths.line[start:end]
        lines = lines[lines > 0] if lines.any() else lines
        span = (int(lines.min()), int(lines.max()))
        begins = _beginning(paths, start)
        border = 0
        if begins == "split":
            border = int(paths.line[start - 1])
        elif begins == "join":
            border = _meeting(paths, start)
        mask, leaves = int(paths.mask[start]), bool(paths.leaves[start:end].all())
        found.append(Stretch(start, end - start, span, mask, leaves, begins, border))
    return found


def _beginning(paths: Paths, row: int) -> str:
    if paths.joins[row]:
        return "join"
    if row and paths.splits[row - 1]:
        return "split"
    apart = row and paths.mask[row] & paths.mask[row - 1] == 0
    return "other side" if apart else ""


def _meeting(paths: Paths, row: int) -> int:
    """The line at which threads join: compilers pull up instructions of lines above."""
    along = paths.mask[row:] == paths.mask[row]
    lines = paths.line[row:][: int(along.argmin()) if not along.all() else None]
    below = lines[lines >= paths.line[row - 1]]
    return int(below[0]) if len(below) else int(lines[0])


def _behind_joins(paths: Paths) -> Paths:
    """Move what a branch leaves behind, and all run, to the line where threads join.

    A compiler gives the first instructions after an `if` the last line of a side.
    """
    line = paths.line.copy()
    for row in np.nonzero(paths.joins)[0].tolist():
        mask, first = paths.mask[row], max(row - _APART, 0)
        together = np.nonzero(paths.mask[first:row] & mask == mask)[0]
        start = first + int(together[-1]) + 1 if len(together) else first
        apart = np.unique(paths.line[start:row])
        after = slice(row, row + _TOGETHER)
        ends = (paths.mask[after] & mask != mask) | ~np.isin(paths.line[after], apart)
        end = row + int(ends.argmax())
        if paths.mask[end] & mask == mask and paths.line[end] > apart[-1]:
            line[row:end] = paths.line[end]
    return replace(paths, line=line)


def folded(stretches: list[Stretch]) -> tuple[Stretch, ...]:
    """Patterns that come several times in a row, once, with their count."""
    keys = [(each.count, each.lines, each.mask) for each in stretches]
    found: list[Stretch] = []
    at = pattern = 0
    while at < len(keys):
        length, times = _pattern(keys, at)
        for each in stretches[at : at + length]:
            found.append(replace(each, pattern=pattern, repeats=times))
        at += length * times
        pattern += 1
    return tuple(found)


def _pattern(keys: list[Any], at: int) -> tuple[int, int]:
    """Length and count of the repeats that begin here and save most."""
    best, saved = (1, 1), 0
    for length in range(1, min(_LONGEST_PATTERN, (len(keys) - at) // 2) + 1):
        times, part = 1, keys[at : at + length]
        while keys[at + times * length : at + (times + 1) * length] == part:
            times += 1
        if length * (times - 1) > saved:
            best, saved = (length, times), length * (times - 1)
    return best


def _lines(lines: Any) -> tuple[int, ...]:
    return tuple(sorted(set(lines) - {0}))


class Divergence:
    """What the divergence view shows: one warp's way.

    Attributes:
        file: Of its code.
        block, warp: Which warp.
        present: Threads of the warp.
        steps: Instructions that it ran.
        active: The same, counted for each thread.
        branches, divergent: Its branches, and those whose threads went different ways.
        split_lines, join_lines: Where the warp split and joined.
        selects: Lines that compute both results of a branch, and select one.
        line_steps, line_active: For a line its instructions, and counted by thread.
        fine: Stretches of one line, repeats folded.
        coarse: Stretches of equal threads, repeats folded.
        loop: Where its threads are off most, or None.
        turns: How often each lane ran the loop's last instruction.
    """

    def __init__(self, launch: Any, block: Any = 0, warp: Any = None) -> None:
        """Follow one warp of a launch.

        Args:
            launch: With a trace.
            block: Its block's number, or (x, y, z).
            warp: Its number in the block; None: the one whose threads are off most.

        Raises:
            ValueError: No trace, or the warp has no step in it.
            IndexError: No such block or warp.
            TypeError: Not a launch, or no numbers.
        """
        trace = require_trace(launch, "divergence")
        number = number_of(block, launch.grid, "block", "divergence")
        threads = int(np.prod(launch.block))
        every = paths_of(trace, threads, number)
        if warp is None:
            chosen = int(np.bincount(every.warp, every.lost, minlength=1).argmax())
        else:
            warps = -(-threads // LANES), 1, 1
            chosen = number_of(warp, warps, "warp", "divergence")
        own = _behind_joins(every.where(every.warp == chosen))
        if not len(own):
            raise ValueError(
                f"[viz.divergence] the trace has no steps of warp {chosen} of block "
                f"{number} of {shortened(launch.kernel)}. To record more, increase "
                "trace_bytes."
            )
        line, branched = own.line.tolist(), own.line[own.branch].tolist()
        loop = costly_loop(own)
        ends = own.mask[own.instruction == loop.high] if loop else own.mask[:0]
        turns = (ends[:, None] >> np.arange(LANES, dtype=np.uint32) & 1).sum(axis=0)
        selects = np.char.startswith(trace.opcode[own.step], "selp")
        active: Counter[int] = Counter()
        for at, count in zip(line, own.active.tolist(), strict=True):
            active[at] += count
        steps = Counter(line)
        del steps[0], active[0]
        self.file = str(trace.file[own.step[0]])
        self.block = number
        self.warp = chosen
        self.present = int(own.present[0])
        self.steps = len(own)
        self.active = int(own.active.sum())
        self.branches = int(own.branch.sum())
        self.divergent = int(own.splits.sum())
        self.split_lines = _lines(own.line[own.splits].tolist())
        self.join_lines = _lines(
            _meeting(own, row) for row in np.nonzero(own.joins)[0].tolist()
        )
        self.selects = _lines(set(own.line[selects].tolist()) - set(branched))
        self.line_steps = dict(steps)
        self.line_active = dict(active)
        self.fine = folded(_stretches(own, by_line=True))
        self.coarse = folded(_stretches(own, by_line=False))
        self.loop = loop
        self.turns = tuple(turns.tolist())

    @property
    def is_fine(self) -> bool:
        """Whether each line of the way is drawn: it is short."""
        return len(self.fine) <= _MOST_FINE

    @property
    def shown(self) -> tuple[Stretch, ...]:
        """The stretches that are drawn."""
        return self.fine if self.is_fine else self.coarse[:_MOST_COARSE]

    @property
    def more(self) -> int:
        """How many more there are."""
        return 0 if self.is_fine else max(len(self.coarse) - _MOST_COARSE, 0)
