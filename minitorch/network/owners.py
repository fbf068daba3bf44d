"""Owns a guess at which block and warp writes an element, from a kernel's file.

Only what is traced counts: a guess says where to look first, so that of a large launch
one warp need be recorded. Must not know traces.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from .arrays import PlacedArray
from .records import Kernel

_LANES = 32


@dataclass(frozen=True)
class Owner:
    """A block's number and a warp of it."""

    block: int
    warp: int


def likely_owner(kernel: Kernel, out: PlacedArray, index: tuple[int, ...]) -> Owner:
    """Where the library's kernels write an element of their output."""
    flat = _flat(out.shape, index)
    if kernel.name.startswith("matmul") and len(index) >= 2:
        return _of_tile(kernel, out.shape, index)
    if kernel.name.startswith("standardise") and len(index) >= 2:
        return Owner(index[1] % kernel.blocks, 0)
    cells = math.prod(out.shape)
    if kernel.blocks * kernel.threads >= cells:  # a thread for each element
        return Owner(flat // kernel.threads, flat % kernel.threads // _LANES)
    return Owner(flat * kernel.blocks // max(cells, 1), 0)


def _flat(shape: tuple[int, ...], index: tuple[int, ...]) -> int:
    at = 0
    for extent, each in zip(shape, index, strict=True):
        at = at * extent + each
    return at


def _of_tile(kernel: Kernel, shape: tuple[int, ...], index: tuple[int, ...]) -> Owner:
    wide, high = kernel.block[0], kernel.block[1]
    row, column = index[-2:]
    batch = _flat(shape[:-2], index[:-2])
    x, y = column // wide, row // high
    block = x + kernel.grid[0] * (y + kernel.grid[1] * batch)
    return Owner(block, (row % high * wide + column % wide) // _LANES)
