"""The view of multiprocessors: how many blocks run at the same time."""

from __future__ import annotations

from typing import Any

from ...figure.figure import Figure
from ...traces.launches import number_of
from ...traces.residency import sms_data
from .picture import draw_sms


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
