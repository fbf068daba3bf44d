"""The warps view: why an SM holds more warps than it can run."""

from __future__ import annotations

from typing import Any

from ...figure.figure import Figure
from ...traces.fault_view import of_trace
from .data import warps_data
from .picture import draw_warps


def warps(launch: Any, latency: Any = 16) -> Figure:
    """Draw the warps of one SM in issue order: while some wait, others run.

    The SM holds one warp, one block, or all blocks that fit, as `viz.sms` counts them,
    and issues the instructions that the launch ran, one each turn. It goes on with a
    warp until that waits, then takes the first one that is ready. A warp waits where
    it uses a number that a load has not brought yet, and at barriers. This is order,
    not time: all other instructions are ready in the next turn.

    Args:
        launch: Recorded with `cuda.inspect(trace=True)`.
        latency: Turns after which a load from global memory has its number, an
            assumption: 4, 8, 16, 32 or 64. A control of the figure changes it.

    Returns:
        A figure; its `data` holds the numbers.

    Raises:
        ValueError: No trace, or another latency.
        TypeError: Not a launch.

    Example:
        >>> import numpy as np
        >>> from minitorch import cuda, viz
        >>> double = cuda.RawKernel(
        ...     "__global__ void k(float* x) { x[threadIdx.x] *= 2; }", "k")
        >>> x = cuda.to_device(np.ones(32, np.float32))
        >>> with cuda.inspect(trace=True) as run:
        ...     double[4, 32](x)
        >>> viz.warps(run.launches[0]).answer.partition(";")[0]
        'One warp alone leaves 15 of its 24 turns empty'
    """
    return of_trace(draw_warps(warps_data(launch, latency), latency), launch)
