"""Owns values of a warp's 32 threads, and their local memory, as far as written.

Must not know variables.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

LANES = 32
_MOST_LOCAL = 1 << 16  # bytes of a thread's local memory that are followed

Lanes = NDArray[Any]  # (32,)


def lanes_of(mask: Any) -> NDArray[np.bool_]:
    """Lanes of masks as booleans: (...,) -> (..., 32)."""
    bits = np.asarray(mask, dtype=np.uint32)[..., np.newaxis]
    return (bits >> np.arange(LANES, dtype=np.uint32) & 1).astype(bool)


class LaneValues:
    """Values of 32 lanes, and which lanes have one."""

    def __init__(self) -> None:
        self.values = np.zeros(LANES, np.uint64)
        self.known = np.zeros(LANES, bool)

    def put(self, values: Lanes, lanes: Lanes) -> Lanes:
        """Take values of some lanes; give the lanes in which that is news."""
        news: Lanes = lanes & (~self.known | (self.values != values))
        self.values = np.where(news, values, self.values)
        self.known |= lanes
        return news


class LocalMemory:
    """Local memory of a warp's threads, as far as it was written."""

    def __init__(self) -> None:
        self._bytes = np.zeros((LANES, 0), np.uint8)
        self._known = np.zeros((LANES, 0), bool)

    def write(self, address: Lanes, value: Lanes, size: int, lanes: Lanes) -> None:
        """Write `size` bytes of each lane's value at its address."""
        at = address.astype(np.int64)
        lanes = lanes & (at + size <= _MOST_LOCAL)
        if not lanes.any():
            return
        end = int(at[lanes].max()) + size
        if end > self._bytes.shape[1]:
            more = ((0, 0), (0, end - self._bytes.shape[1]))
            self._bytes = np.pad(self._bytes, more)
            self._known = np.pad(self._known, more)
        lane = np.nonzero(lanes)[0]
        for byte in range(size):
            part = value[lane] >> np.uint64(8 * byte)
            self._bytes[lane, at[lane] + byte] = part.astype(np.uint8)
            self._known[lane, at[lane] + byte] = True

    def read(self, offset: int, size: int) -> tuple[Lanes, Lanes]:
        """Each lane's value at an offset, and which lanes have written all of it."""
        if offset + size > self._bytes.shape[1]:
            return np.zeros(LANES, np.uint64), np.zeros(LANES, bool)
        wide = np.zeros((LANES, 8), np.uint8)
        wide[:, :size] = self._bytes[:, offset : offset + size]
        known = np.asarray(self._known[:, offset : offset + size].all(axis=1))
        return wide.view(np.uint64)[:, 0], known
