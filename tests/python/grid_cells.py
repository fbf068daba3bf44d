"""Which cells the focused thread of the grid view reads or writes."""

from __future__ import annotations

from typing import Any

import numpy as np

from minitorch.viz.traces.launches import number_at
from minitorch.viz.views.grid.touched import GridData


def touched(data: GridData, at: int, way: str) -> list[Any]:
    """Return the indices of the cells of an array that it "reads" or "writes"."""
    threads, columns = data.threads, getattr(data.threads, way)[at]
    thread = number_at(data.at_thread, data.block)
    block = number_at(data.at_block, data.grid) - threads.first_block
    thread += block * int(np.prod(data.block))
    if not columns.pattern[thread]:
        return []
    cells = threads.patterns[columns.pattern[thread]] + columns.first[thread]
    return np.stack(
        np.unravel_index(cells, data.arrays[at].array.shape), axis=-1
    ).tolist()
