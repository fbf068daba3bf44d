"""The view of reductions: who works in each round of a tree, and who idles."""

from __future__ import annotations

from typing import Any

from ...figure.figure import Figure
from ...traces.fault_view import of_trace
from .data import reduction_data
from .picture import draw_reduction


def reduction(launch: Any, block: Any = None, thread: Any = None) -> Figure:
    """Draw the rounds of a reduction: which thread combines which values, who idles.

    In a round, a thread combines its own value with one that it reads from shared
    memory, or gets from another lane by a shuffle. Any kernel that does so has rounds:
    sums, products, the largest of many, with neighbours or with far halves.

    Args:
        launch: Recorded with `cuda.inspect(trace=True)`.
        block: Its number, or (x, y, z); None: where the launch failed, else
            the first.
        thread: In focus: its number in the block, or (x, y, z); None: the first that
            works in the last round.

    Returns:
        A figure; its `data` holds the numbers.

    Raises:
        ValueError: No trace, or no thread combines values of others.
        IndexError: No such block or thread.
        TypeError: Not a launch.

    Example:
        >>> import numpy as np
        >>> from minitorch import cuda, viz
        >>> total = cuda.RawKernel('''__global__ void total(float* x) {
        ...   int t = threadIdx.x;
        ...   __shared__ float s[8];
        ...   s[t] = x[t];
        ...   for (int half = 4; half > 0; half /= 2) {
        ...     __syncthreads();
        ...     if (t < half) s[t] += s[t + half];
        ...   }
        ...   if (t == 0) x[0] = s[0];
        ... }''', "total")
        >>> with cuda.inspect(trace=True) as run:
        ...     total[1, 8](cuda.to_device(np.arange(8, dtype=np.float32)))
        >>> viz.reduction(run.launches[0])
        Figure(Round 1 of 3: 4 of 8 threads combine two values each; 4 idle.)
    """
    data = reduction_data(launch, block, thread)
    return of_trace(draw_reduction(data), launch)
