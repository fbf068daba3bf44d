"""Find the thread that writes an element: by the kernel's layout, or in its trace.

A guess says where to look first, so that of a large launch one warp need be recorded;
only what is traced counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..cuda.inspecting.accesses import ATOMIC, GLOBAL, WRITE, accesses_of
from ..cuda.inspecting.trace import LANES, Trace
from .records import ArrayUse, Kernel

#: Steps of the launches that are traced whole: of all in one run, and of one.
MOST_STEPS, MOST_OF_ONE = 50_000, 20_000
#: Elements of an output whose threads are told.
MOST_CELLS = 4_096


@dataclass(frozen=True)
class Owner:
    """A block and a warp of it."""

    block: int
    warp: int


def likely_owner(kernel: Kernel, out: ArrayUse, index: tuple[int, ...]) -> Owner:
    """Guess block and warp in which the library's kernels write an output element."""
    shape, grid = out.shape, kernel.grid
    flat, cells = _flat(shape, index), math.prod(shape)
    if kernel.name.startswith("matmul") and len(index) >= 2:
        batch = _flat(shape[:-2], index[:-2])
        return _of_tile(kernel, index[-1], index[-2], batch)
    if kernel.name.startswith("conv2d_tiled"):  # windows along x, outputs along y
        window = _flat((shape[0], *shape[2:]), (index[0], *index[2:]))
        group, output = divmod(index[1], shape[1] // grid[2])
        return _of_tile(kernel, window, output, group)
    if kernel.blocks == -(-cells // kernel.threads):  # a thread for each element
        return Owner(flat // kernel.threads, flat % kernel.threads // LANES)
    if len(index) >= 2 and grid[0] == shape[1]:  # blocks share a channel
        own = _flat((shape[0], *shape[2:]), (index[0], *index[2:]))
        block, thread = divmod(own, kernel.threads)
        return Owner(index[1] + grid[0] * (block % grid[1]), thread // LANES)
    return Owner(flat * kernel.blocks // max(cells, 1), 0)  # a block for each row


def _flat(shape: tuple[int, ...], index: tuple[int, ...]) -> int:
    flat = 0
    for extent, i in zip(shape, index, strict=True):
        flat = flat * extent + i
    return flat


def _of_tile(kernel: Kernel, x: int, y: int, z: int) -> Owner:
    """Return the owner of a cell of a grid of tiles."""
    wide, high = kernel.block[:2]
    block = x // wide + kernel.grid[0] * (y // high + kernel.grid[1] * z)
    return Owner(block, (y % high * wide + x % wide) // LANES)


def small_results(kernels: Sequence[Kernel]) -> list[int]:
    """Return the numbers of kernels that are small enough to trace all threads."""
    left, numbers = MOST_STEPS, []
    for kernel in kernels:
        cells = math.prod(kernel.outputs[0].shape) if kernel.outputs else 0
        steps = warp_steps(kernel)
        if 0 < cells <= MOST_CELLS and steps <= min(left, MOST_OF_ONE):
            left -= steps
            numbers.append(kernel.index)
    return numbers


def warp_steps(kernel: Kernel) -> int:
    """Return the steps in a full trace of a launch: its warp instructions."""
    assert kernel.launch is not None
    return int(kernel.launch.counters["ptx_warp_instructions"])


def owners_in(trace: Trace, array: ArrayUse, threads: int) -> tuple[int, ...] | None:
    """Return the thread of a launch that stored each element of an array, -1 for none.

    Args:
        trace: of the whole launch; array: without gaps; threads: of a block.

    Returns:
        Numbers of threads (block x threads + the number in the block), in the order of
        memory; None where the trace was cut, or the array has gaps.
    """
    cells = math.prod(array.shape)
    if trace.truncated or array.bytes != cells * array.item or not cells:
        return None
    owners = np.full(cells, -1, np.int64)
    stores = accesses_of(trace, (GLOBAL,), (WRITE, ATOMIC))
    index, rest = np.divmod(stores.address - array.address, array.item)
    valid = (index >= 0) & (index < cells) & (rest == 0)
    owners[index[valid]] = (stores.block * threads + stores.thread)[valid]
    return tuple(owners.tolist())
