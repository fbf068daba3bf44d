"""The tiles view: how often one number is fetched, and who shares it."""

from __future__ import annotations

from typing import Any

from ...figure.figure import Figure
from ...traces.fault_view import of_trace
from ...traces.launches import number_of
from .data import tiles_data
from .picture import scene_of


def tiles(launch: Any, block: Any = None) -> Figure:
    """Draw how often one number is fetched from global memory, and which warps load it.

    For kernels that load tiles into shared memory, such as a product of matrices: each
    round of a block with the tiles that it loads, and how often their numbers are read
    from there. Kernels without shared memory have one round.

    Args:
        launch: Recorded with `cuda.inspect(trace=True)`.
        block: Its number, or (x, y, z); None: one in the middle of the grid.

    Returns:
        A figure; its `data` holds the numbers.

    Raises:
        ValueError: No trace, or nothing that is read from global memory.
        IndexError: No such block.
        TypeError: Not a launch.

    Example:
        >>> import numpy as np
        >>> from minitorch import cuda, viz
        >>> kernel = cuda.RawKernel('''__global__ void k(const float* x, float* y) {
        ...   __shared__ float s[32];
        ...   int t = threadIdx.x;
        ...   s[t] = x[t];
        ...   __syncthreads();
        ...   y[t] = s[t] + s[31 - t];
        ... }''', "k")
        >>> x = cuda.to_device(np.arange(32, dtype=np.float32))
        >>> with cuda.inspect(trace=True) as run:
        ...     kernel[1, 32](x, cuda.device_array(32, "float32"))
        >>> viz.tiles(run.launches[0]).answer.partition(":")[0]
        'Each number of x is fetched once from global memory instead of 2 times'
    """
    data = tiles_data(launch)
    first = data.blocks // 2 if block is None else number_of(
        block, launch.grid, "block", "tiles"
    )  # fmt: skip
    scene, source = scene_of(data), data.sources[0]
    needs = source.cell[source.block == first].min(initial=scene.axes[2].count - 1)
    figure = Figure(
        "How often is one number fetched?", scene,
        {"round": 0, "block": first, "number": int(needs)}, data=data,
    )  # fmt: skip
    return of_trace(figure, launch)
