"""What arrays and variables hold after a step, from the columns of the step view."""

from __future__ import annotations

from typing import Any

import numpy as np

from minitorch.cuda.inspecting.accesses import READ
from minitorch.cuda.inspecting.trace import LANES
from minitorch.viz.views.step.data import StepData


def shared_after(data: StepData, array: int, step: int) -> tuple[list[str], Any]:
    """Return words of each cell's value, and the warp that wrote it last, or -1."""
    uses = data.uses
    words, warp = [""] * data.arrays[array].count, np.full(data.arrays[array].count, -1)
    own = (uses.array == array) & (uses.kind != READ) & (data.use_step <= step)
    for at in np.nonzero(own)[0]:
        words[uses.cell[at]] = data.words[uses.value[at]]
        warp[uses.cell[at]] = uses.thread[at] // LANES
    return words, warp


def variable_after(data: StepData, name: int, step: int) -> Any:
    """Return numbers of a variable's values in all threads; -1: not set."""
    changes = data.changes
    value = np.full((len(data.steps.lanes), LANES), -1)
    for at in np.nonzero((changes.name == name) & (data.change_step <= step))[0]:
        lanes = changes.mask[at] >> np.arange(LANES) & 1 != 0
        value[changes.warp[at], lanes] = changes.value[at, lanes]
    return value.reshape(-1)[: data.threads]
