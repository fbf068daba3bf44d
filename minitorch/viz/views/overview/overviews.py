"""The numbers of the overview: how busy the threads of every warp were."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....cuda.inspecting.trace import LANES
from ...traces.launches import Place, number_of, require_trace
from ...traces.warp_paths import Loop, Paths, costly_loop, paths_of

MOST_WARPS = 128  # beyond that one bar is a block
_MOST_BLOCKS = 128
_MOST_THREADS = 32_768


@dataclass(frozen=True)
class Overview:
    """All warps of a launch. Warps are numbered over the blocks that are kept.

    Attributes:
        kernel: Its name.
        threads: Of a block.
        warps: Of a block.
        blocks: Numbers of the blocks that are kept: all of a small launch, the worst
            of a large one.
        more: Blocks that ran beside them.
        alone: Whether the launch has a single block.
        steps: For each warp the instructions that it ran, in the loop if there is one.
        active: The same, counted for each thread.
        lanes: (warps, 32), the instructions of each thread.
        present: Threads of each warp.
        all_steps, all_active: Sums over all blocks, kept or not.
        loop: Where threads are off most; None: the whole kernel is counted.
        worst: Warps in order, those whose threads were off for the largest part first.
    """

    kernel: str
    threads: int
    warps: int
    blocks: NDArray[np.int64]
    more: int
    alone: bool
    steps: NDArray[np.int64]
    active: NDArray[np.int64]
    lanes: NDArray[np.int64]
    present: NDArray[np.int64]
    all_steps: int
    all_active: int
    loop: Loop | None
    worst: NDArray[np.int64]

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """The part of its time that a mean thread of each warp is active."""
        return shares_of(self.active, self.steps * self.present)

    @property
    def by_block(self) -> bool:
        """Whether one bar is a block, since there are too many warps."""
        return len(self.steps) > MOST_WARPS or self.more > 0


def shares_of(
    active: NDArray[np.int64], possible: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The part of its time that a mean thread of each is active; 1 for no time."""
    ones = np.ones(len(possible))
    return np.asarray(np.divide(active, possible, out=ones, where=possible > 0))


def _worst_first(shares: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.argsort(shares, kind="stable")


def _kept(paths: Paths, inside: NDArray[np.bool_], threads: int) -> NDArray[np.int64]:
    """Blocks to keep, in order: all, or those whose threads are off most."""
    known = np.unique(paths.block)
    warps = -(-threads // LANES)
    if len(known) * warps <= MOST_WARPS:
        return known
    most = min(_MOST_BLOCKS, max(_MOST_THREADS // (warps * LANES), 1))
    group = np.searchsorted(known, paths.block[inside])
    active = np.bincount(group, paths.active[inside], len(known))
    possible = np.bincount(group, paths.present[inside], len(known))
    return np.sort(known[_worst_first(shares_of(active, possible))[:most]])


def overview_data(launch: Any) -> Overview:
    """Count what each thread of a launch ran.

    Args:
        launch: With a trace.

    Raises:
        ValueError: No trace.
        TypeError: Not a launch.
    """
    trace = require_trace(launch, "overview")
    threads = launch.block[0] * launch.block[1] * launch.block[2]
    warps = -(-threads // LANES)
    every = paths_of(trace, threads)
    loop = costly_loop(every)
    inside = every.within(loop)
    blocks = _kept(every, inside, threads)
    own = every.where(inside & np.isin(every.block, blocks))
    group = np.searchsorted(blocks, own.block) * warps + own.warp
    count = len(blocks) * warps
    bits = (own.mask >> np.uint32(lane) & 1 for lane in range(LANES))
    lanes = np.stack([np.bincount(group, each, count) for each in bits], axis=1)
    steps = np.bincount(group, minlength=count)
    present = np.minimum(threads - np.arange(count) % warps * LANES, LANES)
    active = lanes.sum(axis=1).astype(np.int64)
    return Overview(
        kernel=launch.kernel,
        threads=threads,
        warps=warps,
        blocks=blocks,
        more=len(np.unique(every.block)) - len(blocks),
        alone=launch.grid == (1, 1, 1),
        steps=steps,
        active=active,
        lanes=lanes.astype(np.int64),
        present=present,
        all_steps=int(inside.sum()),
        all_active=int(every.active[inside].sum()),
        loop=loop,
        worst=_worst_first(shares_of(active, steps * present)),
    )


def warp_of(data: Overview, grid: Place, block: Any, warp: Any) -> int:
    """The warp in focus, numbered over the blocks that are kept.

    Args:
        data: From `overview_data`.
        grid: Of the launch.
        block: Its number, or (x, y, z); None: any.
        warp: Its number in the block; None: the worst.

    Raises:
        IndexError: No such block or warp, or a block that is not kept.
        TypeError: Neither a number nor a tuple.
    """
    wanted = np.ones(len(data.steps), bool)
    if block is not None:
        number = number_of(block, grid, "block", "overview")
        wanted &= np.repeat(data.blocks, data.warps) == number
        if not wanted.any():
            raise IndexError(
                f"[viz.overview] got block {block!r}; need one of the "
                f"{len(data.blocks)} whose threads are off most, such as "
                f"{int(data.blocks[0])}. viz.divergence shows any block."
            )
    if warp is not None:
        own = number_of(warp, (data.warps, 1, 1), "warp", "overview")
        wanted &= np.arange(len(wanted)) % data.warps == own
    return int(data.worst[wanted[data.worst]][0])
