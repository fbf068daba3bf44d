"""Owns which source line each step of a build for debuggers belongs to.

There even `atomicAdd` is a function that is called, of no line or of a header's: its
steps belong to the line that calls it. Must not know languages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Place


def lines_in_force(
    columns: Mapping[str, NDArray[Any]], places: Sequence[Place], python: bool
) -> NDArray[np.int64]:
    """For each step the instruction whose line counts: its own, or its caller's.

    Args:
        columns: Of the trace.
        places: File and line of each instruction.
        python: Whether the kernel is written in Python, whose functions may be in
            several files. One in CUDA C++ is in the file of its first step.
    """
    own = columns["instruction"].astype(np.int64)
    if not len(own):
        return own
    first, _ = places[own[0]]
    theirs = [
        line > 0 and (not file.startswith("/minitorch/") if python else file == first)
        for file, line in places
    ]
    # Steps of one warp stand behind each other; a call's are behind the calling one.
    order = np.lexsort((columns["warp"], columns["block"]))
    sorted_ = own[order]
    warps = np.stack([columns["block"][order], columns["warp"][order]])
    begins = np.ones(len(order), bool)
    begins[1:] = (np.diff(warps.astype(np.int64)) != 0).any(axis=0)
    kept = np.where(np.array(theirs)[sorted_] | begins, np.arange(len(order)), 0)
    found = np.empty_like(own)
    found[order] = sorted_[np.maximum.accumulate(kept)]
    return found
