"""The race view: which two threads are not in order."""

from __future__ import annotations

from typing import Any

from ...figure.figure import Figure
from ...scene.code_view import lines_of
from ...traces.fault_view import of_trace
from .data import races_of
from .picture import draw_race


def race(launch: Any, number: int = 0) -> Figure:
    """Draw two threads that are not in order: their lines, the cell, both orders.

    What the launch leaves in each order, and with a barrier or with one thread after
    the other, is found by running it again on the emulator, with copies of its
    arguments: only where it is small, its arguments are known, and no `cuda.inspect`
    is open.

    Args:
        launch: Recorded with `cuda.inspect(trace=True)`; a race is among its findings.
        number: Which of its races, from 0.

    Returns:
        A figure; its `data` holds the numbers.

    Raises:
        ValueError: No trace, or no race.
        IndexError: Fewer races than that.
        TypeError: Not a launch, or no number.

    Example:
        >>> from minitorch import cuda, viz
        >>> kernel = cuda.RawKernel('''__global__ void k(int* x) {
        ...   __shared__ int s[64];
        ...   s[threadIdx.x] = threadIdx.x;
        ...   x[threadIdx.x] = s[63 - threadIdx.x];
        ... }''', "k")
        >>> with cuda.inspect(trace=True) as run:
        ...     kernel[1, 64](cuda.device_array(64, "int32"))
        >>> viz.race(run.launches[0])
        Figure(Thread 31 may read s[32] before thread 32 has written it.)
    """
    rows, at = races_of(launch, number)
    lines = lines_of(None, rows[at].file, launch.source)
    return of_trace(draw_race(rows, at, lines), launch, said=True)
