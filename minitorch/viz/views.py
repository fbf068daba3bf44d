"""Owns the views as users call them. Must not know how they count or draw."""

from __future__ import annotations

from typing import Any

from .code_view import lines_of
from .fault_view import with_alarm
from .faults import GLOBAL_MEMORY, fault_of
from .figure import Figure
from .grid_view import draw_grid_view, is_at_fault
from .launches import GLOBAL, SHARED, cut_note, number_of, require_trace
from .memory_view import draw_memory
from .race_cells import races_of
from .race_view import Shown, draw_race
from .races import has_race
from .residency import sms_data
from .sms_view import draw_sms
from .time_views import step
from .touched import grid_data
from .traffic import memory_data


def memory(
    launch: Any,
    line: int | None = None,
    warp: int | None = None,
    block: int | None = None,
) -> Figure:
    """Draw how much memory traffic one warp instruction causes.

    Lanes and the 32-byte sectors and 128-byte lines that they touch; for shared memory
    the 32 banks, with a padding word a row beside where lanes wait for each other.

    Args:
        launch: Recorded with `cuda.inspect(trace=True)`.
        line: Only instructions of this source line; None: the request to global memory
            that wastes least beside the one that wastes most, and the request to shared
            memory with the most passes.
        warp: Only this warp of its block.
        block: Only the block with this number.

    Of a launch that failed, the warp that failed is shown where it used memory, unless
    a line, warp or block is given.

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
    data = memory_data(launch, line, warp, block)
    return with_alarm(draw_memory(data, cut_note(launch.trace)), data.fault)


def grid(
    launch: Any, thread: Any = None, block: Any = None, *, arrays: Any = None
) -> Figure:
    """Draw which cells one thread reads and writes, and how blocks cover the arrays.

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
    figure = draw_grid_view(data, cut_note(launch.trace))
    return figure if is_at_fault(data) else with_alarm(figure, data.fault)


def race(launch: Any, number: int = 0, *, source: Any = None) -> Figure:
    """Draw two threads that are not in order: their lines, the cell, both orders.

    What the launch leaves in each order, and with a barrier, is found by running it
    again on the emulator, with copies of its arguments: only where it is small, its
    arguments are known, and no `cuda.inspect` is open.

    Args:
        launch: Recorded with `cuda.inspect(trace=True)`; a race is among its findings.
        number: Which of its races, from 0.
        source: The kernel's text or the `cuda.RawKernel`, to show its lines; None: the
            launch's own.

    Returns:
        A figure; its `data` holds the numbers.

    Raises:
        ValueError: No trace, or no race.
        IndexError: Fewer races than that.
        TypeError: Not a launch, no number, or a source that is no text.

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
    races = races_of(launch, number)
    at = [each.number for each in races].index(number)
    lines = lines_of(source, races[at].data.file, launch.source)
    shown = Shown(at, races[at].first)
    return draw_race(races, lines, cut_note(launch.trace), shown)


def show(launch: Any) -> Figure:
    """Draw what matters first: what ended the kernel, a race, a wrong value.

    A launch in which nothing went wrong: which cells a thread touches.

    Args:
        launch: Recorded with `cuda.inspect(trace=True)`.

    Returns:
        The figure of `grid` at the thread that missed global memory, or of `step` at
        another fault; of `race`; of `grid`, or of `memory` where only shared memory is
        used.

    Raises:
        ValueError: No trace.
        TypeError: Not a launch.
    """
    trace = require_trace(launch, "show")
    fault = fault_of(launch)
    if has_race(launch) and not (fault is not None and fault.ended):
        return race(launch)
    if fault is not None and fault.kind not in GLOBAL_MEMORY:
        return step(launch)
    columns = trace.columns
    spaces = set(columns["access_space"][columns["access_mask"] != 0].tolist())
    only_shared = fault is None and spaces & {GLOBAL, SHARED} == {SHARED}
    return memory(launch) if only_shared else grid(launch)


def sms(launch: Any, kernel: Any, gpu: Any = None, block: Any = None) -> Figure:
    """Draw how many blocks run at once, what stops the next one, and the waves.

    Args:
        launch: Recorded with `cuda.inspect()`; it needs no trace.
        kernel: What was launched: it knows its registers on each card.
        gpu: "t4", "rtx3090", "a100", "h100" or "h200", or up to three of them; None:
            the device's card.
        block: The one in focus, found on each card: its number, or (x, y, z); None:
            one near the middle.

    Returns:
        A figure; its `data` holds the numbers.

    Raises:
        TypeError: Not a launch, not a kernel, no name of a card, or no number.
        ValueError: An unknown card, or more than three.
        IndexError: No such block.

    Example:
        >>> from minitorch import cuda, viz
        >>> fill = cuda.RawKernel(
        ...     "__global__ void k(int* x) { x[threadIdx.x] = 7; }", "k")
        >>> with cuda.inspect() as run:
        ...     fill[1, 512](cuda.device_array(512, "int32"))
        >>> viz.sms(run.launches[0], fill, "t4")
        Figure(On a T4, 2 blocks fit on one SM: threads are the limit.)
    """
    data = sms_data(launch, kernel, gpu)
    middle = data.cards[0].blocks // 2
    wanted = middle if block is None else number_of(block, launch.grid, "block", "sms")
    return draw_sms(data, wanted)
