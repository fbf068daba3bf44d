"""Owns what the live tensor view needs: for each element drawn where it leads to.

Must not draw.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .live import Live
from .tensor_places import Memory, Moves, Places
from .tensor_planes import (
    CELL_PITCH,
    CELL_WIDE,
    HIGH,
    IN_A_ROW,
    Planes,
    cell_place,
)
from .tensor_seen import Index, Seen
from .tensor_table import HEAD, LINE, MOST_COLUMNS, SIZE, TOP, WIDE
from .tensor_words import answer_of, detail_of


def _indices(array: Seen) -> list[Index]:
    """Of the elements drawn, in their order."""
    return [
        tuple(along[at] for along, at in zip(array.window, each, strict=True))
        for each in np.ndindex(tuple(map(len, array.window)))
    ]


def _array(array: Seen, planes: Planes) -> dict[str, Any]:
    return {
        "window": [[along.start, along.stop] for along in array.window],
        "places": planes.places() if array.size else [],
        "wide": planes.wide,
        "cells": array.cells().reshape(-1),
        "strides": array.strides,
        "start": array.start,
        "memory": array.memory,
    }


def _memory(memory: Memory) -> dict[str, Any]:
    left, top = cell_place(memory, memory.shown.start) or (0.0, 0.0)
    return {
        "first": memory.shown.start,
        "count": len(memory.shown),
        "left": left,
        "top": top,
    }


def live_tensor(places: Places, planes: list[Planes]) -> Live | None:
    """The data of `assets/live/tensor.js`; None where there is no element.

    Args:
        places: what is drawn.
        planes: where, of each array.
    """
    moves = Moves(places)
    states = [
        (number, index, moves.to(number, index))
        for number, array in enumerate(places.arrays)
        for index in _indices(array)
    ]
    if not states or places.arrays[0].focus is None:
        return None
    dims = len(places.arrays[0].shape)
    keys = [("W A S D", "move the element")] if dims else []
    keys += [("Q E", "its plane")] if dims > 2 else []
    keys += [("O", "the other array")] if len(places.arrays) > 1 else []
    return Live(
        "tensor",
        {
            "at": {"array": 0, "index": places.arrays[0].focus},
            "arrays": [
                _array(each, planes[at]) for at, each in enumerate(places.arrays)
            ],
            "memories": [_memory(each) for each in places.memories],
            "foci": [[array.focus for array in to.arrays] for _, _, to in states],
            "detail": detail_of(places),
            "answers": [answer_of(to) for _, _, to in states],
            "cell": {"wide": CELL_WIDE, "high": HIGH, "pitch": CELL_PITCH,
                     "row": IN_A_ROW},
            "table": {"head": HEAD, "wide": WIDE, "line": LINE, "top": TOP,
                      "size": SIZE, "most": MOST_COLUMNS},
        },
        tuple(keys),
    )  # fmt: skip
