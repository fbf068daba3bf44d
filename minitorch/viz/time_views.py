"""Owns the views of what happens over time, as users call them.

Must not know how they count or draw.
"""

from __future__ import annotations

from typing import Any

from .code_view import lines_of
from .divergence_view import draw_divergence
from .divergences import divergence_data
from .figure import Figure
from .launches import cut_note, require_trace


def divergence(
    launch: Any, block: Any = 0, warp: Any = None, *, source: Any = None
) -> Figure:
    """Draw where threads of one warp go separate ways, and where they meet again.

    Its 32 lanes over time beside the code. Short ways show each step, with the line
    below; of longer ones the stretches that the same threads ran. What repeats is drawn
    once, with its count.

    Args:
        launch: Recorded with `cuda.inspect(trace=True)`.
        block: The warp's block: its number, or (x, y, z).
        warp: Its number in the block; None: the one whose threads are off most.
        source: The kernel's text or the `cuda.RawKernel`, to show its lines; None: the
            launch's own.

    Returns:
        A figure; its `data` holds the numbers.

    Raises:
        ValueError: No trace, or no step of this warp in it.
        IndexError: No such block or warp.
        TypeError: Not a launch, no numbers, or a source that is no text.

    Example:
        >>> import numpy as np
        >>> from minitorch import cuda, viz
        >>> kernel = cuda.RawKernel('''__global__ void k(int* x) {
        ...   int i = threadIdx.x;
        ...   if (i < 8)
        ...     x[i] = atomicAdd(x + 32, 1);
        ... }''', "k")
        >>> with cuda.inspect(trace=True) as run:
        ...     kernel[1, 32](cuda.to_device(np.zeros(33, np.int32)))
        >>> viz.divergence(run.launches[0])
        Figure(Warp 0 runs line 4 with 8 of 32 threads; the other 24 are off.)
    """
    data = divergence_data(launch, block, warp)
    lines = lines_of(source, data.file, launch.source)
    note = cut_note(require_trace(launch, "divergence"))
    return draw_divergence(data, lines, note)
