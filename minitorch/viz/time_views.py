"""Owns the views of what happens over time, as users call them.

Must not know how they count or draw.
"""

from __future__ import annotations

from typing import Any

from ..cuda.trace import LANES
from .code_view import lines_of
from .divergence_view import draw_divergence
from .divergences import divergence_data
from .fault_view import with_alarm
from .faults import Fault, fault_of
from .figure import Figure
from .launches import Place, cut_note, number_of, require_trace
from .overview_view import draw_overview
from .overviews import overview_data, warp_of
from .step_data import step_data
from .step_view import draw_step


def divergence(
    launch: Any, block: Any = None, warp: Any = None, *, source: Any = None
) -> Figure:
    """Draw where threads of one warp go separate ways, and where they meet again.

    Its 32 lanes over time beside the code. Short ways show each step, with the line
    below; of longer ones the stretches that the same threads ran. What repeats is drawn
    once, with its count.

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
    note = cut_note(require_trace(launch, "divergence"))
    fault = fault_of(launch)
    if block is None:
        block = fault.block if fault else 0
    if warp is None and fault and _is_at(fault, block, launch.grid):
        warp = fault.warp
    data = divergence_data(launch, block, warp)
    lines = lines_of(source, data.file, launch.source)
    return with_alarm(draw_divergence(data, lines, note), fault)


def _is_at(fault: Fault, block: Any, grid: Place) -> bool:
    return number_of(block, grid, "block", "divergence") == fault.block


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


def step(
    launch: Any,
    step: int | None = None,
    block: Any = None,
    thread: Any = None,
    *,
    source: Any = None,
    unit: str = "line",
    number: str | None = None,
    registers: bool = False,
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
        source: The kernel's text or the `cuda.RawKernel`; None: as the launch knows it.
        unit: "line", or "instruction": each PTX instruction is a step of its own.
        number: Name of the variable whose values the threads show; None: their numbers.
        registers: Show registers of the PTX, which every build has, for variables.

    Returns:
        A figure; its `data` holds the numbers.

    Raises:
        ValueError: No trace, nothing of this block in it, another unit, or no such
            variable.
        IndexError: No such step, block or thread.
        TypeError: Not a launch, or a source that is no text.

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
    data = step_data(launch, step, block, thread, source, unit, number, registers)
    figure = draw_step(data, cut_note(launch.trace))
    return figure if data.failed(data.step) else with_alarm(figure, data.fault)
