"""The grid view: which cells one thread touches."""

from __future__ import annotations

from typing import Any

from ...figure.figure import Figure
from ...traces.fault_view import of_trace
from .picture import draw_grid_view, is_at_fault
from .touched import grid_data


def grid(
    launch: Any, thread: Any = None, block: Any = None, *, arrays: Any = None
) -> Figure:
    """Draw which cells one thread reads and writes, and how blocks cover the arrays.

    Code and values belong to one access: what the thread touches at a line, one cell of
    each array at most. A slider goes through them, and one chooses whether the cells of
    the thread, of its warp or of its block are marked.

    Args:
        launch: Recorded with `cuda.inspect(trace=True)`.
        thread: Its number in its block, or (x, y, z); None: one near the middle.
        block: Its block's number, or (x, y, z); None: one near the middle.
        arrays: Names and device arrays, such as {"a": a}, whose values are shown as
            they are now; None: the launch's own, by the names of the kernel's
            parameters, as it left them.

    Returns:
        A figure; its `data` holds the numbers.

    Raises:
        ValueError: No trace.
        IndexError: No such thread or block.
        TypeError: Not a launch, or arrays that are none.

    Example:
        >>> import numpy as np
        >>> from minitorch import cuda, viz
        >>> double = cuda.RawKernel(
        ...     "__global__ void k(float* x) { x[threadIdx.x] *= 2; }", "k")
        >>> x = cuda.to_device(np.ones(64, np.float32))
        >>> with cuda.inspect(trace=True) as run:
        ...     double[1, 64](x)
        >>> viz.grid(run.launches[0], thread=5)
        Figure(Thread 5 reads x[5], and writes x[5].)
    """
    data = grid_data(launch, thread, block, arrays)
    return of_trace(draw_grid_view(data), launch, said=is_at_fault(data))
