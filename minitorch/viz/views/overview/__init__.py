"""The overview: how busy the threads of all warps were."""

from __future__ import annotations

from typing import Any

from ....cuda.inspecting.trace import LANES
from ...figure.figure import Figure
from ...traces.fault_view import with_alarm
from ...traces.faults import fault_of
from ...traces.launches import cut_note
from .. import view
from .overviews import overview_data, warp_of
from .picture import draw_overview


@view
def overview(
    launch: Any, block: Any = None, warp: Any = None, *, order: str | None = None
) -> Figure:
    """Draw how busy the threads of all warps were: where to look first.

    One bar is a warp; beyond 128 warps it is a block, and of very many blocks the worst
    are drawn. Beside it the threads of one block, and the lanes of one warp. Where a
    loop costs most, its instructions are counted, else those of the whole kernel.

    Args:
        launch: Recorded with `cuda.inspect(trace=True)`.
        block: The one in focus: its number, or (x, y, z); None: where the launch
            failed, else the worst warp's.
        warp: The one in focus, its number in the block; None: the one that failed, else
            the block's worst.
        order: Of the bars: "block", or "worst" first; None: "worst" for blocks.

    Returns:
        A figure; its `data` holds the numbers.

    Raises:
        ValueError: No trace, or another order.
        IndexError: No such block or warp.
        TypeError: Not a launch, or no numbers.

    Example:
        >>> import numpy as np
        >>> from minitorch import cuda, viz
        >>> kernel = cuda.RawKernel('''__global__ void k(int* x) {
        ...   int i = threadIdx.x;
        ...   for (int n = 0; n < i; n++) atomicAdd(x, n);
        ... }''', "k")
        >>> with cuda.inspect(trace=True) as run:
        ...     kernel[1, 64](cuda.to_device(np.zeros(1, np.int32)))
        >>> viz.overview(run.launches[0]).question
        '64 threads: where should I look?'
    """
    data = overview_data(launch)
    if order not in (None, "block", "worst"):
        raise ValueError(
            f"[viz.overview] got order {order!r}; need 'block' or 'worst'."
        )
    fault, lane = fault_of(launch), None
    if fault and block is warp is None and fault.block in data.blocks:
        block, warp = fault.block, fault.warp
        lane = fault.thread % LANES
    focus = warp_of(data, launch.grid, block, warp)
    shown = order or ("worst" if data.by_block else "block")
    figure = draw_overview(data, cut_note(launch.trace), focus, lane, shown)
    return with_alarm(figure, fault)
