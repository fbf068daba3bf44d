"""The choice of a view for a launch: what matters first."""

from __future__ import annotations

from typing import Any

from ...figure.figure import Figure
from ...traces.faults import fault_of, is_of_global_memory
from ...traces.launches import GLOBAL, SHARED, require_trace
from .. import view
from ..grid import grid
from ..memory import memory
from ..race import race
from ..race.data import races_in
from ..step import step


@view
def show(launch: Any) -> Figure:
    """Draw what matters first: what ended the kernel, a race, a wrong value.

    A launch in which nothing went wrong: which cells a thread touches.

    Args:
        launch: Recorded with `cuda.inspect(trace=True)`.

    Returns:
        The figure of `grid` at the thread that missed global memory, or of `step` at
        another fault; of `race`; of `grid`, or of `memory` where only shared memory is
        used.

    Raises:
        ValueError: No trace.
        TypeError: Not a launch.
    """
    trace = require_trace(launch, "show")
    fault = fault_of(launch)
    if races_in(launch) and not (fault is not None and fault.ended):
        return race(launch)
    if fault is not None and not is_of_global_memory(fault.kind):
        return step(launch)
    columns = trace.columns
    spaces = set(columns["access_space"][columns["access_mask"] != 0].tolist())
    only_shared = fault is None and spaces & {GLOBAL, SHARED} == {SHARED}
    return memory(launch) if only_shared else grid(launch)
