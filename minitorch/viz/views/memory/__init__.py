"""The memory view: how much traffic one warp instruction causes."""

from __future__ import annotations

from typing import Any

from ...figure.figure import Figure
from ...traces.fault_view import of_trace
from .data import memory_data
from .picture import draw_memory


def memory(launch: Any, line: int | None = None, block: int | None = None) -> Figure:
    """Draw how much memory traffic one warp instruction causes.

    Lanes, and the 32-byte sectors and the cache lines that they touch; for shared
    memory the 32 banks and the words below them, and beside them with other padding
    where lanes wait for each other with or without it. On a page, sliders show strides,
    offsets, padding and columns that did not run.

    Args:
        launch: Recorded with `cuda.inspect(trace=True)`.
        line: Only instructions of this source line; None: the request to global memory
            that wastes least beside the one that wastes most, and the request to shared
            memory with the most passes.
        block: Only the block with this number.

    Returns:
        A figure; its `data` holds the numbers.

    Raises:
        ValueError: No trace, or no such instruction.
        TypeError: Not a launch.

    Example:
        >>> import numpy as np
        >>> from minitorch import cuda, viz
        >>> every_eighth = cuda.RawKernel(
        ...     "__global__ void k(float* x) { x[8 * threadIdx.x] = 1; }", "k")
        >>> with cuda.inspect(trace=True) as run:
        ...     every_eighth[1, 32](cuda.device_array(256, "float32"))
        >>> viz.memory(run.launches[0])
        Figure(The store on line 1 uses 128 bytes and moves 1,024.)
    """
    data = memory_data(launch, line, block)
    return of_trace(draw_memory(data), launch)
