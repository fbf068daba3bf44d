"""The step view: what each thread of a block is doing right now."""

from __future__ import annotations

from typing import Any

from ...figure.figure import Figure
from ...traces.fault_view import of_trace
from .data import step_data
from .picture import draw_step


def step(
    launch: Any,
    step: int | None = None,
    block: Any = None,
    thread: Any = None,
) -> Figure:
    """Draw what each thread of a block is doing in one step, and step through them.

    A step is one warp that runs one source line. Shown is what holds after it: which
    threads ran, which wait at a barrier, what shared memory holds and who wrote it.

    Args:
        launch: Recorded with `cuda.inspect(trace=True)`; with `debug=True` variables
            have the names of the kernel's text.
        step: From 1, as the sentence counts them; None: where the launch failed, else
            that of the first finding, else the middle of the line that runs most often.
        block: The block's number, or (x, y, z); None: where the launch failed, else the
            first.
        thread: In focus: its number in the block, or (x, y, z); None: that of the
            finding, else one that runs.

    Returns:
        A figure; its `data` holds the numbers.

    Raises:
        ValueError: No trace, or nothing of this block in it.
        IndexError: No such step, block or thread.
        TypeError: Not a launch, or numbers that are none.

    Example:
        >>> import numpy as np
        >>> from minitorch import cuda, viz
        >>> double = cuda.RawKernel(
        ...     "__global__ void k(float* x) { x[threadIdx.x] *= 2; }", "k")
        >>> x = cuda.to_device(np.ones(64, np.float32))
        >>> with cuda.inspect(trace=True) as run:
        ...     double[1, 64](x)
        >>> viz.step(run.launches[0], 2)
        Figure(Step 2 of 2: warp 1 runs line 1 with all 32 threads. Warp 0 is done.)
    """
    data = step_data(launch, step, block, thread)
    return of_trace(draw_step(data), launch, said=data.failed(data.step) is not None)
