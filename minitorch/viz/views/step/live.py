"""What the script of the step view reads: steps, uses and places as columns.

`assets/step.js` draws any step of these.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....cuda.inspecting.trace import LANES
from ...figure.live import Live
from ...traces.steps import NOT_STARTED
from .code_view import Code
from .data import StepData
from .facts_view import Slots, kind_of
from .layout import Layout
from .timeline_view import Axis

_KEYS = (
    ("← →", "step"),
    ("Shift+← Shift+→", "previous, next mark"),
    ("Home End", "first, last"),
    ("W A S D", "move the focus to another thread"),
    ("V", "next number to show"),
    ("Space", "play"),
)


def _steps(data: StepData) -> dict[str, Any]:
    """Columns of the steps of the picture; waits and done are those of its own warp."""
    steps, part = data.steps, slice(data.start, data.end)
    own = np.arange(data.start, data.end), steps.warp[part]
    columns = {
        "warp": steps.warp[part],
        "line": steps.line[part],
        "mask": steps.mask[part],
        "waits": steps.waits[own],
        "done": steps.done[own],
        "arrives": steps.arrives[part].astype(int),
        "opens": steps.opens[part].astype(int),
        "apart": (steps.apart[part] * (1 + data.refused_barrier)).astype(int),
    }
    if data.unit == "instruction":
        names, number = np.unique(
            data.launch.trace.opcode[steps.first[part]], return_inverse=True
        )
        columns |= {"opcodes": names, "opcode": number}
    return columns


def _before(data: StepData) -> dict[str, Any]:
    """What held before the first step of the picture."""
    steps, at = data.steps, data.start - 1
    if at < 0:
        none = np.zeros(len(steps.lanes), int)
        held: dict[str, Any] = {"waits": none, "done": none, "at": none + NOT_STARTED}
        return {**held, "counts": {}, "cells": {}, "values": []}
    return {
        "waits": steps.waits[at] * (not steps.opens[at]),
        "done": steps.done[at],
        "at": steps.at[at],
        "counts": {str(line): often for line, often in data.counts(at).items()},
        "cells": {
            str(number): [shared.value, shared.warp]
            for number, each in enumerate(data.arrays)
            if each.shared
            for shared in [data.shared(number, at)]
        },
        "values": [data.variable(name, at) for name in range(len(data.changes.names))],
    }


def _uses(data: StepData) -> list[list[Any]]:
    """[step, array, kind, lanes, cells, values] for each access of a warp to an array.

    Cells that lie in equal distances are told by the first and the distance.
    """
    uses, step = data.uses, data.use_step
    low, high = np.searchsorted(step, [data.start, data.end])
    part = slice(int(low), int(high))
    key = np.stack([uses.row, uses.array, uses.kind, uses.thread // LANES])[:, part]
    if not key.shape[1]:
        return []
    new = np.append(True, (np.diff(key, axis=1) != 0).any(axis=0))
    starts = np.nonzero(new)[0] + low
    rows = []
    for at, end in zip(starts, [*starts[1:], high], strict=True):
        lanes = uses.thread[at:end] % LANES
        mask = int((1 << lanes.astype(np.int64)).sum())
        rows.append(
            [
                int(step[at]) - data.start, int(uses.array[at]), int(uses.kind[at]),
                mask, _spaced(uses.cell[at:end]), _alike(uses.value[at:end]),
            ]
        )  # fmt: skip
    return rows


def _spaced(values: NDArray[Any]) -> list[int]:
    apart = np.diff(values)
    if len(values) > 2 and (apart == apart[0]).all():
        return [int(values[0]), int(apart[0])]
    return [int(each) for each in values]


def _alike(values: NDArray[Any]) -> list[int]:
    same = (values == values[0]).all()
    return [int(each) for each in (values[:1] if same else values)]


def _changes(data: StepData) -> list[list[Any]]:
    """[step, warp, name, lanes, values] for each change of a variable."""
    changes, step = data.changes, data.change_step
    low, high = np.searchsorted(step, [data.start, data.end])
    return [
        [
            int(step[at]) - data.start, int(changes.warp[at]), int(changes.name[at]),
            int(changes.mask[at]),
            _alike(changes.value[at][changes.mask[at] >> np.arange(LANES) & 1 != 0]),
        ]
        for at in range(int(low), int(high))
        if changes.mask[at]
    ]  # fmt: skip


def _words(rows: list[list[Any]], data: StepData, before: dict[str, Any]) -> Any:
    """The words that rows need; these get the new numbers."""
    lists = [row[-1] for row in rows]
    lists += [cells[0].tolist() for cells in before["cells"].values()]
    lists += [values.tolist() for values in before["values"]]
    used = sorted({value for values in lists for value in values if value >= 0})
    place = {-1: -1, **{value: at for at, value in enumerate(used)}}
    for row in rows:
        row[-1] = [place[value] for value in row[-1]]
    for cells in before["cells"].values():
        cells[0] = [place[value] for value in cells[0].tolist()]
    before["values"] = [
        [place[value] for value in values.tolist()] for values in before["values"]
    ]
    return [data.words[value] for value in used]


def _places(data: StepData, place: Layout, code: Code, slots: Slots) -> dict[str, Any]:
    """Where everything is drawn."""
    axis = Axis(data)
    return {
        "axis": {"x": axis.x(data.start), "wide": axis.wide, "bottom": axis.bottom},
        "threads": {**place.threads.__dict__, "block": data.launch.block},
        "sheets": [each.__dict__ for each in place.sheets],
        "lines": {str(line): code.y(line) for line in code.lines},
        "total": {str(line): often for line, often in code.total.items()},
        "bars": code.bars,
        "slots": {"count": slots.count, "wide": slots.wide},
    }


def live_step(
    data: StepData, place: Layout, code: Code, slots: Slots, note: str
) -> Live:
    """What makes the picture of a step live.

    Args:
        data: From `step_data`.
        place, code, slots: Where everything is drawn.
        note: What the picture leaves out, a part of each detail.
    """
    before, uses, changes = _before(data), _uses(data), _changes(data)
    words = _words(uses + changes, data, before)
    return Live(
        script="step",
        data={
            "step": data.step - data.start,
            "thread": data.thread,
            "watch": data.watch,
            "start": data.start,
            "count": len(data.steps),
            "note": note,
            "lanes": data.steps.lanes,
            "steps": _steps(data),
            "before": before,
            "uses": uses,
            "changes": changes,
            "words": words,
            "names": data.changes.names,
            "kind": kind_of(data),
            "arrays": [
                {"name": each.name, "shape": each.shape, "shared": each.shared}
                for each in data.arrays
            ],
            "marks": [
                {**mark.__dict__, "step": mark.step - data.start} for mark in data.marks
            ],
            **_places(data, place, code, slots),
        },
        keys=_KEYS,
    )
