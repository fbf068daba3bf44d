"""What the grid view's script reads, as JSON-able columns."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...figure.live import Live
from ...scene.drawing import LETTER_WIDTHS, number, shortened
from ...traces.launches import number_at
from .block_view import Plan
from .cell_view import LEFT, SAID_ROOM, SIDE, TOP, Sheet, words_of
from .thread_cells import CellColumns, ReuseColumns
from .touched import GridData, Touched

Corner = tuple[float, float]

_MOST_RUNS = 20_000
_KEYS = (
    ("W A S D", "move the focus"),
    ("C", "next cell of the thread"),
    ("Esc", "no cell"),
)


def thinning_note(data: GridData) -> str:
    """What the figure says where pointer and keys do not reach every thread."""
    threads = math.prod(data.grid) * math.prod(data.block)
    if data.threads.known == threads:
        return ""
    known = number(data.threads.known)
    return f"Pointer and keys reach {known} of {threads:,} threads."


def _columns(columns: CellColumns) -> dict[str, Any]:
    return {"pattern": columns.pattern, "first": columns.first}


def _reuse(columns: ReuseColumns) -> dict[str, Any]:
    return {"reads": columns.reads, "cells": columns.cells}


def _writers(touched: Touched) -> dict[str, Any] | None:
    """Stretches of cells and the block that wrote each; None where there are many."""
    writer = touched.writer.reshape(-1)
    starts = np.flatnonzero(np.diff(writer, prepend=-2))
    if len(starts) > _MOST_RUNS:
        return None
    return {"start": starts, "block": writer[starts]}


def _panel(touched: Touched, corner: Corner) -> dict[str, Any]:
    sheet = Sheet(touched)
    return {
        "x": corner[0],
        "y": corner[1],
        "rows": sheet.rows,
        "columns": sheet.columns,
        "shownRows": sheet.shown_rows,
        "shownColumns": sheet.shown_columns,
        "firstRow": sheet.first_row,
        "firstColumn": sheet.first_column,
        "cell": sheet.cell,
        "words": words_of(touched),
        "writers": _writers(touched) if sheet.part else None,
    }


def _array(data: GridData, at: int, corner: Corner | None) -> dict[str, Any]:
    touched = data.arrays[at]
    return {
        "name": shortened(touched.array.name, 20),
        "shape": touched.array.shape,
        "reads": _columns(data.threads.reads[at]),
        "writes": _columns(data.threads.writes[at]),
        "panel": corner and _panel(touched, corner),
    }


def _plan(plan: Plan) -> dict[str, Any]:
    return {
        "fold": plan.fold,
        "across": plan.outer[0],
        "drawn": plan.drawn,
        "width": plan.size[0],
        "height": plan.size[1],
        "cell": plan.cell,
        "threads": plan.threads,
        "numbered": plan.numbered,
        "axes": plan.axes,
        "letters": plan.letters,
    }


def grid_live(
    data: GridData, corners: dict[int, Corner], tail: str, arrows: bool
) -> Live:
    """What makes the grid view answer to pointer and keys.

    Args:
        data: From `grid_data`.
        corners: Where the arrays are that are drawn.
        tail: The end of the detail, which is the same for all threads.
        arrows: Whether three arrays are joined by arrows: column, row, result.
    """
    threads, grid = data.threads, data.reuse[-1]
    columns = {
        "grid": data.grid,
        "block": data.block,
        "at": {
            "block": number_at(data.at_block, data.grid),
            "thread": number_at(data.at_thread, data.block),
        },
        "firstBlock": threads.first_block,
        "blocks": threads.blocks,
        "patterns": threads.patterns,
        "atomic": np.flatnonzero(threads.atomic),
        "reuse": [_reuse(each) for each in threads.reuse],
        "whole": [grid.reads, grid.cells],
        "arrays": [_array(data, at, corners.get(at)) for at in range(len(data.arrays))],
        "order": list(corners),
        "arrows": arrows,
        "plan": _plan(Plan(data.grid, data.block)),
        "sheet": {"left": LEFT, "top": TOP, "side": SIDE, "room": SAID_ROOM},
        "widths": LETTER_WIDTHS,
        "tail": tail,
        "fault": data.fault
        and {
            "block": data.fault.block,
            "thread": data.fault.thread,
            "words": data.fault.words,
            "ended": data.fault.ended,
        },
    }
    return Live("grid", columns, _KEYS)
