"""The divergence view: where threads of a warp go separate ways."""

from __future__ import annotations

from typing import Any

from ...figure.figure import Figure
from ...scene.code_view import lines_of
from ...traces.fault_view import of_trace
from ...traces.faults import block_of, fault_of
from ...traces.launches import require_trace
from .data import Divergence
from .picture import draw_divergence


def divergence(
    launch: Any, block: Any = None, warp: Any = None, *, source: Any = None
) -> Figure:
    """Draw where threads of one warp go separate ways, and where they meet again.

    Its 32 lanes over time beside the code. Short ways show each line that ran; longer
    ones the stretches that the same threads ran, as wide as they have instructions.
    What repeats is drawn once, with its count.

    Args:
        launch: Recorded with `cuda.inspect(trace=True)`.
        block: The warp's block: its number, or (x, y, z); None: where the launch
            failed, else the first.
        warp: Its number in the block; None: the one that failed in this block, else
            the one whose threads are off most.
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
    require_trace(launch, "divergence")
    fault, at = fault_of(launch), block_of(launch, block, "divergence")
    if warp is None and fault and at == fault.block:
        warp = fault.warp
    data = Divergence(launch, at, warp)
    lines = lines_of(source, data.file, launch.source)
    return of_trace(draw_divergence(data, lines), launch)
