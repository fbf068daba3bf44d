"""Which load from global memory brought each number that threads read in shared."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from ...cuda.inspecting.accesses import GLOBAL, READ, SHARED, Accesses, Ints

_OPEN = 16  # loads of a thread that may still be stored to shared memory


def _stored(every: Accesses) -> Ints:
    """For each store to shared memory the load whose number it stores, or -1.

    That is the oldest load of its thread that has the same value and is not stored yet.
    """
    waiting: dict[tuple[int, int], list[int]] = defaultdict(list)
    found = np.full(len(every), -1)
    loads = (every.space == GLOBAL) & (every.kind == READ)
    rows = np.nonzero(loads | (every.space == SHARED) & (every.kind != READ))[0]
    columns = every.block, every.thread, every.value, loads
    for row, *thread, value, load in zip(
        rows.tolist(), *(column[rows].tolist() for column in columns), strict=True
    ):
        own = waiting[thread[0], thread[1]]
        if load:
            own.append(row)
            del own[:-_OPEN]
            continue
        source = next((each for each in own if every.value[each] == value), -1)
        if source >= 0:
            own.remove(source)
            found[row] = source
    return found


def shared_sources(every: Accesses) -> tuple[Ints, Ints, Ints]:
    """Follow numbers from global memory through shared memory.

    Args:
        every: All accesses of a launch.

    Returns:
        For each access, -1 where there is none: the load whose number it stores to
        shared memory, the store whose number it reads there, and how often the place of
        a store had been written before.
    """
    inside = every.space == SHARED
    found = np.full((3, len(every)), -1)
    stores, reads = (
        np.nonzero(inside & kind)[0]
        for kind in (every.kind != READ, every.kind == READ)
    )
    if len(stores):
        found[0] = _stored(every)
        place = every.block * (1 + every.address[inside].max()) + every.address
        when = place * len(every) + np.arange(len(every))
        stores = stores[np.argsort(when[stores])]
        starts = np.nonzero(np.diff(place[stores], prepend=-1))[0]
        count = np.diff([*starts, len(stores)])
        found[2, stores] = np.arange(len(stores)) - np.repeat(starts, count)
        last = stores[np.searchsorted(when[stores], when[reads]) - 1]
        own = (place[last] == place[reads]) & (last < reads)
        found[1, reads[own]] = last[own]
    return found[0], found[1], found[2]
