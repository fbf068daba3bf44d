"""Owns the values of PTX registers: their types, and what a block's became.

Must not know variables or where columns come from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .lane_memory import lanes_of
from .variable_changes import NOTHING, VariableChanges

_TYPES = {"f64": "<f8", "f32": "<f4", "f16": "<f2", "pred": "bool"}
_KINDS = {"s": "i", "u": "u", "b": "u"}


def ptx_dtype(type_: str) -> np.dtype[Any]:
    """The dtype of a PTX type; 64 bits for one that NumPy has not, or that is wider.

    Example:
        >>> ptx_dtype("s32"), ptx_dtype("b64")
        (dtype('int32'), dtype('uint64'))
    """
    spelled = _TYPES.get(type_)
    if spelled is None and type_[:1] in _KINDS and type_[1:].isdigit():
        size = max(int(type_[1:]) // 8, 1)
        spelled = f"<{_KINDS[type_[0]]}{size}" if size <= 8 else None
    return np.dtype(spelled or "<u8")


def register_changes(
    columns: Mapping[str, NDArray[Any]], registers: Sequence[Any], block: int
) -> VariableChanges:
    """What the registers of a block's threads became.

    Args:
        columns: Of the trace.
        registers: (name, PTX type, function) of each.
        block: Number of the block.
    """
    steps = columns["result_step"].astype(np.int64)
    rows = np.nonzero(columns["block"][steps] == block)[0]
    if not len(rows):
        return NOTHING
    own, steps = columns["result_register"][rows], steps[rows]
    known, name = np.unique(own, return_inverse=True)
    return VariableChanges(
        names=tuple(registers[each][0] for each in known.tolist()),
        dtypes=tuple(ptx_dtype(registers[each][1]) for each in known.tolist()),
        lines=(0,) * len(known),
        step=steps,
        warp=columns["warp"][steps].astype(np.int64),
        name=name.astype(np.int64),
        values=columns["result_value"][rows],
        written=lanes_of(columns["mask"][steps]),
    )
