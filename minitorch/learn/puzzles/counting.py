"""Count one thread's reads and writes in a trace."""

from __future__ import annotations

import numpy as np

from ...cuda import Trace
from ...cuda.inspecting.accesses import (
    ATOMIC,
    GLOBAL,
    READ,
    SHARED,
    WRITE,
    accesses_of,
)
from .exercise import Counts

_MOST_THREADS = 1024  # of a block


def counts_of(trace: Trace) -> Counts:
    """Return the maximum reads and writes of each kind by one thread.

    A load or store of several elements counts each of them, and an atomic operation is
    both. Unknown (None) where the trace was cut.
    """
    if trace.truncated:
        return Counts(None, None, None, None)
    kinds = ((space, kind) for space in (GLOBAL, SHARED) for kind in (READ, WRITE))
    return Counts(*(_most(trace, space, kind) for space, kind in kinds))


def has_written(trace: Trace) -> bool:
    """Return whether any thread wrote to global memory."""
    return len(accesses_of(trace, (GLOBAL,), (WRITE, ATOMIC))) > 0


def _most(trace: Trace, space: int, kind: int) -> int:
    accesses = accesses_of(trace, (space,), (kind, ATOMIC))
    threads = accesses.block * _MOST_THREADS + accesses.thread
    _, counts = np.unique(threads, return_counts=True)
    return int(counts.max(initial=0))
