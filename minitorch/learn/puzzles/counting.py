"""Count one thread's reads and writes in a trace."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...cuda import Trace
from .exercise import Counts

_LANES = 32  # of a warp; a block has at most as many warps
_GLOBAL, _SHARED = 1, 2
_READ, _WRITE, _ATOMIC = 1, 2, 3


def counts_of(trace: Trace) -> Counts:
    """Return the maximum reads and writes of each kind by one thread.

    A load or store of several elements counts each of them. Unknown (None) where the
    trace was cut.
    """
    if trace.truncated:
        return Counts(None, None, None, None)
    return Counts(
        _most(trace, _GLOBAL, _READ),
        _most(trace, _GLOBAL, _WRITE),
        _most(trace, _SHARED, _READ),
        _most(trace, _SHARED, _WRITE),
    )


def has_written(trace: Trace) -> bool:
    """Return whether any thread wrote to global memory."""
    return bool(_rows(trace, _GLOBAL, _WRITE).any())


def _rows(trace: Trace, space: int, kind: int) -> NDArray[np.bool_]:
    """Return a mask of the accesses of a kind in a space; atomics are both kinds."""
    kinds = trace.columns["access_kind"]
    wanted = (kinds == kind) | (kinds == _ATOMIC)
    there: NDArray[np.bool_] = trace.columns["access_space"] == space
    rows: NDArray[np.bool_] = wanted & there
    return rows


def _most(trace: Trace, space: int, kind: int) -> int:
    rows = _rows(trace, space, kind)
    steps = trace.columns["access_step"][rows]
    masks = trace.columns["access_mask"][rows]
    lanes = masks[:, np.newaxis] >> np.arange(_LANES, dtype=np.uint32) & 1
    warps = trace.block[steps].astype(np.int64) * _LANES + trace.warp[steps]
    _, warp = np.unique(warps, return_inverse=True)
    counts = np.zeros((len(steps), _LANES), np.int64)
    np.add.at(counts, warp, lanes)
    return int(counts.max(initial=0))
