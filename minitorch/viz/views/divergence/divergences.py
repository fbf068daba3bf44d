"""The numbers of the divergence view: one warp's stretches and its sides."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ....cuda.inspecting.trace import LANES
from ...scene.drawing import shortened
from ...traces.launches import number_of, require_trace
from ...traces.warp_paths import Loop, Paths, costly_loop, paths_of

_LONGEST_PATTERN = 12
_MOST_SPLITS = 64  # that are compared for the answer


@dataclass(frozen=True)
class Stretch:
    """Instructions that a warp ran one after the other with the same threads.

    Attributes:
        row: The first one, counted in its warp.
        count: How many, in one of its repeats.
        lines: First and last source line.
        mask: The lanes that ran.
        begins: "split", "join" or "other side", as it began; "" for neither.
        border: The line where it split before, or joins; 0 for neither.
        pattern: Number of the pattern of stretches that it is part of.
        repeats: How often the warp ran that pattern.
    """

    row: int
    count: int
    lines: tuple[int, int]
    mask: int
    begins: str = ""
    border: int = 0
    pattern: int = 0
    repeats: int = 1

    @property
    def active(self) -> int:
        """Lanes that ran."""
        return self.mask.bit_count()


@dataclass(frozen=True)
class Side:
    """Where some threads of a warp went after a branch.

    Attributes:
        lanes: How many.
        lines: First and last line that only they ran, (0, 0) where there is none.
        idle: Whether they only left.
    """

    lanes: int
    lines: tuple[int, int]
    idle: bool


@dataclass(frozen=True)
class Divergence:
    """What the divergence view shows: one warp's way.

    Attributes:
        kernel, file: Whose code.
        block, warp: Which warp.
        warps: Warps of the block.
        present: Threads of the warp.
        steps: Instructions that it ran.
        active: The same, counted for each thread.
        branches, divergent: Its branches, and those whose threads went different ways.
        split_lines, join_lines: For a line how often the warp split or joined there.
        line_steps, line_active: For a line its instructions, and counted by thread.
        fine: Stretches of one line, repeats folded.
        coarse: Stretches of equal threads, repeats folded.
        loop: Where its threads are off most, or None.
        sides: Otherwise the two ways after its costliest branch; () for none.
        split_line: The line of that branch.
    """

    kernel: str
    file: str
    block: int
    warp: int
    warps: int
    present: int
    steps: int
    active: int
    branches: int
    divergent: int
    split_lines: dict[int, int]
    join_lines: dict[int, int]
    line_steps: dict[int, int]
    line_active: dict[int, int]
    fine: tuple[Stretch, ...]
    coarse: tuple[Stretch, ...]
    loop: Loop | None
    sides: tuple[Side, ...]
    split_line: int


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
        mask = int(paths.mask[start])
        found.append(Stretch(start, end - start, span, mask, begins, border))
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


def _first_side(paths: Paths, split: int) -> int:
    """The lanes of a split that run first; others of the warp may run before them."""
    own = paths.mask[split + 1 :] & paths.mask[split]
    return int(own[(own != 0).argmax()])


def _end_of(paths: Paths, split: int) -> int:
    """The row where threads of both ways run together again, or the end."""
    first = np.uint32(_first_side(paths, split))
    after, other = paths.mask[split + 1 :], paths.mask[split] & ~first
    together = (after & first != 0) & (after & other != 0)
    return split + 1 + int(together.argmax()) if together.any() else len(paths)


def _own_lines(lines: set[int], other: set[int], split: int) -> tuple[int, int]:
    """Lines that only one side ran; if it may be those below the branch."""
    own = lines - other or lines
    for wanted in ({each for each in own if each > split}, own - set(range(split))):
        own = wanted or own
    return (min(own), max(own)) if own else (0, 0)


def _sides(paths: Paths) -> tuple[tuple[Side, ...], int]:
    """The two ways after the branch that costs a single warp most, and its line."""
    splits = np.nonzero(paths.splits)[0][:_MOST_SPLITS].tolist()
    if not splits:
        return (), 0
    lost, ends = paths.lost, {at: _end_of(paths, at) for at in splits}
    split = max(splits, key=lambda at: int(lost[at + 1 : ends[at]].sum()))
    part = slice(split + 1, ends[split])
    first = _first_side(paths, split)
    masks = (first, int(paths.mask[split]) & ~first)
    lines: list[set[int]] = []
    for mask in masks:
        own = paths.mask[part] & ~np.uint32(mask) == 0
        lines.append(set(paths.line[part][own & ~paths.leaves[part]].tolist()))
    line = int(paths.line[split])
    return tuple(
        Side(mask.bit_count(), _own_lines(mine - {0}, theirs, line), not mine)
        for mask, mine, theirs in zip(masks, lines, lines[::-1], strict=True)
    ), line


def _by_line(lines: Any, weights: Any = None) -> dict[int, int]:
    found, back = np.unique(lines, return_inverse=True)
    sums = np.bincount(back, weights=weights, minlength=len(found))
    return {
        int(line): int(count) for line, count in zip(found, sums, strict=True) if line
    }


def _chosen(paths: Paths, warp: Any, warps: int) -> int:
    if warp is not None:
        return number_of(warp, (warps, 1, 1), "warp", "divergence")
    lost = np.bincount(paths.warp, weights=paths.lost, minlength=1)
    return int(lost.argmax())


def divergence_data(launch: Any, block: Any = 0, warp: Any = None) -> Divergence:
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
    threads = launch.block[0] * launch.block[1] * launch.block[2]
    warps = -(-threads // LANES)
    every = paths_of(trace, threads, number)
    chosen = _chosen(every, warp, warps)
    own = every.where(every.warp == chosen)
    if not len(own):
        raise ValueError(
            f"[viz.divergence] got warp {chosen} of block {number} of "
            f"{shortened(launch.kernel)}, of which the trace has no step; need one "
            "that ran. A larger trace_bytes leaves room for it."
        )
    loop = costly_loop(own)
    sides, split_line = ((), 0) if loop else _sides(own)
    return Divergence(
        kernel=launch.kernel,
        file=str(trace.file[own.step[0]]),
        block=number,
        warp=chosen,
        warps=warps,
        present=int(own.present[0]),
        steps=len(own),
        active=int(own.active.sum()),
        branches=int(own.branch.sum()),
        divergent=int(own.splits.sum()),
        split_lines=_by_line(own.line[own.splits]),
        join_lines=_by_line(
            [_meeting(own, row) for row in np.nonzero(own.joins)[0].tolist()]
        ),
        line_steps=_by_line(own.line),
        line_active=_by_line(own.line, own.active),
        fine=folded(_stretches(own, by_line=True)),
        coarse=folded(_stretches(own, by_line=False)),
        loop=loop,
        sides=sides,
        split_line=split_line,
    )
